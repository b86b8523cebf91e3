// The Linux host on trees that copy real machines, whole and with pieces missing or wrong.
#include "umad/sysfs_tree.hpp"

#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/linux_host.hpp>
#include <madrigal/umad/smi_gsi_pair.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace madrigal::umad {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class LinuxHost : public testing::Test {
protected:
    std::string selected(port_selector const& wanted = {})
    {
        auto const port = select_port(machine, wanted);
        return port ? port_name(port.value().ca_name, port.value().number) : port.error().message();
    }

    sysfs_tree tree;
    linux_host machine{{.sysfs_root = tree.sys(), .device_root = tree.dev()}};
};

// --- machines

TEST_F(LinuxHost, DualPortHca)
{
    make_dual_port_hca(tree);
    EXPECT_THAT(machine.ca_names().value(), ElementsAre("mlx5_0"));
    auto const ca = machine.query_ca("mlx5_0").value();
    EXPECT_EQ(ca.name, "mlx5_0");
    EXPECT_EQ(ca.type, node_type::ca);
    EXPECT_EQ(ca.firmware_version, "20.31.1014");
    EXPECT_EQ(ca.hardware_version, "0");
    EXPECT_EQ(ca.ca_type, "MT4123");
    EXPECT_EQ(ca.description, "host7 HCA-1");
    EXPECT_EQ(ca.node_guid, guid{0xb859'9f03'0005'f348ULL});
    EXPECT_EQ(ca.system_image_guid, guid{0xb859'9f03'0005'f348ULL});
    EXPECT_THAT(ca.ports, ElementsAre(1, 2));
    EXPECT_EQ(selected(), "mlx5_0 port 1");
    EXPECT_TRUE(open_port(machine));
}

TEST_F(LinuxHost, SwitchWithPort0)
{
    make_switch(tree);
    // Some kernels show the external ports; none of them has a file of its own.
    tree.add_port("mlx5_0", {.number = 1});
    auto const ca = machine.query_ca("mlx5_0").value();
    EXPECT_EQ(ca.type, node_type::switch_);
    EXPECT_THAT(ca.ports, ElementsAre(0));
    EXPECT_EQ(selected(), "mlx5_0 port 0");
    EXPECT_EQ(selected({.ca = "mlx5_0"}), "mlx5_0 port 0");
    EXPECT_TRUE(open_port(machine, {.ca = "mlx5_0", .port = 0}));
}

TEST_F(LinuxHost, RoceIsListedAndOpenedByNameButNeverChosen)
{
    make_roce(tree);
    auto const list = list_ports(machine).value();
    ASSERT_EQ(list.ports.size(), 1u);
    EXPECT_EQ(list.ports[0].layer, link_layer::ethernet);
    EXPECT_EQ(list.ports[0].base_lid, lid{});
    EXPECT_EQ(machine.query_ca("bnxt_re0").value().ca_type, "");
    EXPECT_EQ(select_port(machine).error(), errc::no_usable_port);
    EXPECT_TRUE(open_port(machine, {.ca = "bnxt_re0", .port = 1}));
}

TEST_F(LinuxHost, CaWithOnePortDown)
{
    make_ca_with_one_port_down(tree);
    EXPECT_EQ(selected(), "mlx4_0 port 2");
    EXPECT_EQ(selected({.port = 1}), "mlx4_0 port 1");
    auto const named = open_port(machine, {.ca = "mlx4_0", .port = 1});
    ASSERT_TRUE(named);
    EXPECT_EQ(named.value().attributes.state, port_state::down);
}

TEST_F(LinuxHost, SplitSmiAndGsiPair)
{
    make_split_pair(tree);
    for (auto const* const chosen : {"mlx5_0", "smi1"}) {
        auto const port = select_port(machine, {.ca = chosen, .port = 1}).value();
        EXPECT_EQ(device_for_class(machine, port, 0x81).value().ca_name, "smi1");
        EXPECT_EQ(device_for_class(machine, port, 0x03).value().ca_name, "mlx5_0");
    }
}

TEST_F(LinuxHost, MoreThanNinePorts)
{
    make_twelve_ports(tree);
    EXPECT_THAT(machine.query_ca("hca12").value().ports, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    auto const list = list_ports(machine).value();
    ASSERT_EQ(list.ports.size(), 12u);
    for (unsigned number = 1; number <= 12; ++number) {
        EXPECT_EQ(list.ports[number - 1].number, number);
        EXPECT_EQ(list.ports[number - 1].base_lid, lid{static_cast<std::uint16_t>(100 + number)});
        EXPECT_TRUE(open_port(machine, {.ca = "hca12", .port = number})) << number;
    }
}

TEST_F(LinuxHost, NamesAsLongAsTheKernelAllowsStayWhole)
{
    // IB_DEVICE_NAME_MAX is 64 with the terminator; two names that differ in the last letter only.
    for (char const last : {'a', 'b'}) {
        std::string const name = std::string(62, 'x') + last;
        tree.add_ca(name);
        tree.add_port(name, {.number = 1, .guid = last == 'a' ? "0000:0000:0000:000a" : "0000:0000:0000:000b"});
        tree.add_umad(last == 'a' ? 0 : 1, name, 1);
    }
    std::string const second = std::string(62, 'x') + 'b';
    EXPECT_THAT(machine.ca_names().value(), ElementsAre(std::string(62, 'x') + 'a', second));
    auto const port = select_port(machine, {.ca = second}).value();
    EXPECT_EQ(port.ca_name, second);
    EXPECT_EQ(port.port_guid, guid{0xb});
    EXPECT_TRUE(open_port(machine, {.ca = second, .port = 1}));
}

TEST_F(LinuxHost, NamesComeInPlainByteOrderAtEveryCall)
{
    for (auto const* const name : {"mlx5_2", "mlx5_10", "mlx5_0", "Zeta", "ibp1", "mlx5_1"})
        tree.add_ca(name);
    for (int i = 0; i != 3; ++i)
        EXPECT_THAT(machine.ca_names().value(), ElementsAre("Zeta", "ibp1", "mlx5_0", "mlx5_1", "mlx5_10", "mlx5_2"));
}

TEST_F(LinuxHost, ManyCas)
{
    for (unsigned i = 0; i != 40; ++i) {
        auto const name = "mlx5_" + std::to_string(i);
        tree.add_ca(name);
    }
    tree.add_port("mlx5_39", {.number = 1});
    EXPECT_EQ(machine.ca_names().value().size(), 40u);
    EXPECT_EQ(list_ports(machine).value().ports.size(), 1u);
}

TEST_F(LinuxHost, DevicesThatAreNoInfiniBandEndpointsAreLeftOut)
{
    make_dual_port_hca(tree);
    tree.add_ca("iwarp", "4: RNIC");
    tree.add_ca("usnic_0", "5: usNIC");
    tree.add_ca("aaa", "7: <unknown>");
    tree.add_ca("router", "3: router");
    EXPECT_THAT(machine.ca_names().value(), ElementsAre("mlx5_0", "router"));
    EXPECT_EQ(machine.query_ca("router").value().type, node_type::router);
    EXPECT_EQ(machine.query_ca("iwarp").error(), errc::no_such_ca);
    EXPECT_EQ(selected(), "mlx5_0 port 1");
}

// --- no InfiniBand

TEST_F(LinuxHost, NoModuleLoadedListsNothingSilentlyAndOpensWithWhatToDo)
{
    EXPECT_THAT(machine.ca_names().value(), IsEmpty());
    EXPECT_THAT(list_ports(machine).value().ports, IsEmpty());
    EXPECT_THAT(list_ports(machine).value().unreadable, IsEmpty());
    for (auto const& failed : {select_port(machine).error(), open_port(machine).error(),
             open_port(machine, {.ca = "mlx5_0", .port = 1}).error(), machine.open_port("mlx5_0", 1).error(),
             machine.open_issm("mlx5_0", 1).error()}) {
        EXPECT_EQ(failed, errc::no_infiniband);
        EXPECT_THAT(failed.message(), HasSubstr("modprobe ib_umad"));
    }
}

TEST_F(LinuxHost, NoSysfsAtAllIsNoInfiniBandEither)
{
    linux_host nowhere{{.sysfs_root = "/nonexistent", .device_root = "/nonexistent"}};
    EXPECT_THAT(nowhere.ca_names().value(), IsEmpty());
    EXPECT_EQ(select_port(nowhere).error(), errc::no_infiniband);
}

TEST_F(LinuxHost, ModulesWithoutAnAdapterAreNoInfiniBand)
{
    tree.load_modules();
    EXPECT_THAT(machine.ca_names().value(), IsEmpty());
    EXPECT_EQ(machine.open_port("mlx5_0", 1).error(), errc::no_infiniband);
}

TEST_F(LinuxHost, AnAdapterWithoutIbUmadIsListedAndOpenedWithWhatToLoad)
{
    make_dual_port_hca(tree);
    std::filesystem::remove_all(tree.mad_class());
    EXPECT_EQ(list_ports(machine).value().ports.size(), 2u);
    for (auto const& failed : {select_port(machine).error(), machine.open_port("mlx5_0", 1).error()}) {
        EXPECT_EQ(failed, errc::no_infiniband);
        EXPECT_THAT(failed.message(), HasSubstr("modprobe ib_umad"));
        EXPECT_THAT(failed.message(), HasSubstr(tree.mad_class().string()));
    }
}

TEST_F(LinuxHost, AnInterfaceOfAnotherVersionIsAClearError)
{
    make_dual_port_hca(tree);
    for (auto const* const version : {"4", "6", "0", "18446744073709551615"}) {
        sysfs_tree::write(tree.mad_class() / "abi_version", version);
        auto const failed = machine.open_port("mlx5_0", 1).error();
        EXPECT_EQ(failed, error_code(EOPNOTSUPP, boost::system::system_category()));
        EXPECT_THAT(failed.message(), HasSubstr(std::string{"abi_version is "} + version));
        EXPECT_THAT(failed.message(), HasSubstr("version 5"));
    }
    sysfs_tree::write(tree.mad_class() / "abi_version", "five");
    EXPECT_EQ(machine.open_port("mlx5_0", 1).error(), errc::malformed_sysfs_value);
    std::filesystem::remove(tree.mad_class() / "abi_version");
    EXPECT_EQ(machine.open_port("mlx5_0", 1).error(), errc::malformed_sysfs_value);
}

// --- names that lead elsewhere

TEST_F(LinuxHost, NamesThatAreNoFileNamesAreNoCa)
{
    make_dual_port_hca(tree);
    using namespace std::string_view_literals;
    for (auto const name : {""sv, "."sv, ".."sv, "../infiniband/mlx5_0"sv, "mlx5_0/"sv, "mlx5_0\0x"sv, "/"sv}) {
        EXPECT_EQ(machine.query_ca(name).error(), errc::no_such_ca) << name;
        EXPECT_EQ(machine.query_port(name, 1).error(), errc::no_such_ca) << name;
        EXPECT_FALSE(machine.open_port(name, 1)) << name;
    }
}

TEST_F(LinuxHost, AWrongNameIsToldWithTheRightOnes)
{
    make_dual_port_hca(tree);
    EXPECT_THAT(machine.query_ca("mlx5_7").error().message(), HasSubstr("has mlx5_0"));
    EXPECT_THAT(machine.query_port("mlx5_0", 7).error().message(), HasSubstr("it has 1, 2"));
    EXPECT_EQ(machine.open_port("mlx5_7", 1).error(), errc::no_such_ca);
    EXPECT_EQ(machine.open_port("mlx5_0", 7).error(), errc::no_such_port);
}

// --- what a subnet manager changes

TEST_F(LinuxHost, TellsWhatASubnetManagerChangesAsItIsNow)
{
    make_dual_port_hca(tree);
    auto const port = tree.port("mlx5_0", 1);
    auto const all = machine.query_port("mlx5_0", 1).value();
    auto const before = machine.query_subnet("mlx5_0", 1).value();
    EXPECT_EQ(before.base_lid, all.base_lid);
    EXPECT_EQ(before.sm_lid, all.sm_lid);
    EXPECT_EQ(before.sm_sl, all.sm_sl);
    EXPECT_EQ(before.first_gid, (gid{all.gid_prefix, all.port_guid}));
    EXPECT_EQ(before.state, port_state::active);
    sysfs_tree::write(port / "sm_lid", "0x7");
    sysfs_tree::write(port / "sm_sl", "3");
    sysfs_tree::write(port / "lid", "0x21");
    sysfs_tree::write(port / "state", "2: INIT");
    sysfs_tree::write(port / "gids" / "0", "fec0:0000:0000:0005:b859:9f03:0005:f34a");
    auto const after = machine.query_subnet("mlx5_0", 1).value();
    EXPECT_EQ(after.base_lid, lid{0x21});
    EXPECT_EQ(after.sm_lid, lid{7});
    EXPECT_EQ(after.sm_sl, 3);
    EXPECT_EQ(after.first_gid.subnet_prefix(), 0xFEC0'0000'0000'0005U);
    EXPECT_EQ(after.state, port_state::init);
}

TEST_F(LinuxHost, SaysWhereItCannotTellThat)
{
    make_dual_port_hca(tree);
    EXPECT_EQ(machine.query_subnet("mlx5_7", 1).error(), errc::no_such_ca);
    EXPECT_EQ(machine.query_subnet("mlx5_0", 7).error(), errc::no_such_port);
    auto const port = tree.port("mlx5_0", 1);
    std::filesystem::remove(port / "sm_lid");
    EXPECT_EQ(machine.query_subnet("mlx5_0", 1).value().sm_lid, lid{}) << "as a kernel that does not say";
    sysfs_tree::write(port / "sm_lid", "12 or so");
    EXPECT_EQ(machine.query_subnet("mlx5_0", 1).error(), errc::malformed_sysfs_value);
    sysfs_tree::write(port / "sm_lid", "0x1");
    std::filesystem::remove(port / "lid");
    EXPECT_EQ(machine.query_subnet("mlx5_0", 1).error(), errc::malformed_sysfs_value);
}

// --- each file removed, garbled, and made unreadable, in turn

struct attribute_case {
    std::string file;
    bool required;
};

void PrintTo(attribute_case const& shown, std::ostream* out)
{
    *out << shown.file;
}

class PortAttribute : public LinuxHost, public testing::WithParamInterface<attribute_case> {
protected:
    PortAttribute() { make_dual_port_hca(tree); }

    [[nodiscard]] std::filesystem::path file() const { return tree.port("mlx5_0", 1) / GetParam().file; }
    /// Port 2 is as it was, and takes the place of port 1 where that one fails.
    void expect_the_other_port_unharmed()
    {
        EXPECT_TRUE(machine.query_port("mlx5_0", 2));
        EXPECT_TRUE(select_port(machine));
    }
};

TEST_P(PortAttribute, MissingFailsThatPortOnlyWhereItIsRequired)
{
    ASSERT_TRUE(std::filesystem::remove(file()));
    auto const port = machine.query_port("mlx5_0", 1);
    EXPECT_EQ(port.has_value(), !GetParam().required);
    if (!port) {
        EXPECT_EQ(port.error(), errc::malformed_sysfs_value);
        EXPECT_THAT(port.error().message(), HasSubstr(file().string()));
    }
    expect_the_other_port_unharmed();
}

TEST_P(PortAttribute, OfNonsenseIsToldWithItsPath)
{
    for (std::string const nonsense :
        {"", "-1", "x", "0x", "99999999999999999999", "4294967296 Gb/sec", "\x1b[2J", "fe80:", "7.7.7"}) {
        sysfs_tree::write(file(), nonsense);
        auto const port = machine.query_port("mlx5_0", 1);
        if (GetParam().file == "link_layer") { // Any other text is a link layer that is not known.
            EXPECT_EQ(port.value().layer, link_layer::unknown);
            continue;
        }
        ASSERT_FALSE(port) << '"' << nonsense << '"';
        EXPECT_EQ(port.error(), errc::malformed_sysfs_value);
        EXPECT_THAT(port.error().message(), HasSubstr(file().string()));
        EXPECT_THAT(port.error().message(), Not(HasSubstr("\x1b"))) << "a terminal would obey it";
    }
    expect_the_other_port_unharmed();
}

TEST_P(PortAttribute, LongerThanAPageIsRefused)
{
    if (GetParam().file == "link_layer")
        sysfs_tree::write(file(), "InfiniBand" + std::string(100'000, ' '));
    else
        sysfs_tree::write(file(), std::string(100'000, '1'));
    EXPECT_EQ(machine.query_port("mlx5_0", 1).error(), errc::malformed_sysfs_value);
    expect_the_other_port_unharmed();
}

TEST_P(PortAttribute, ThatIsADirectoryOrAFifoHoldsNobodyUp)
{
    std::filesystem::remove(file());
    std::filesystem::create_directory(file());
    EXPECT_EQ(machine.query_port("mlx5_0", 1).has_value(), !GetParam().required);
    std::filesystem::remove(file());
    ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
    (void)machine.query_port("mlx5_0", 1);
    expect_the_other_port_unharmed();
}

INSTANTIATE_TEST_SUITE_P(Files, PortAttribute,
    testing::Values(attribute_case{"state", true}, attribute_case{"lid", true}, attribute_case{"gids/0", true},
        attribute_case{"gids/2", false}, attribute_case{"pkeys/0", false}, attribute_case{"phys_state", false},
        attribute_case{"lid_mask_count", false}, attribute_case{"sm_lid", false}, attribute_case{"sm_sl", false},
        attribute_case{"rate", false}, attribute_case{"cap_mask", false}, attribute_case{"link_layer", false}));

TEST_F(LinuxHost, NumbersBeyondTheirFieldAreMalformed)
{
    make_dual_port_hca(tree);
    for (auto const& [file, text] : std::initializer_list<std::pair<char const*, char const*>>{{"lid", "0x10000"},
             {"sm_lid", "0x10000"}, {"lid_mask_count", "8"}, {"sm_sl", "16"}, {"state", "6: ?"},
             {"phys_state", "16: ?"}, {"cap_mask", "0x100000000"}, {"pkeys/0", "0x10000"}}) {
        auto const path = tree.port("mlx5_0", 1) / file;
        auto const kept = path.string() + ".kept";
        std::filesystem::rename(path, kept);
        sysfs_tree::write(path, text);
        EXPECT_EQ(machine.query_port("mlx5_0", 1).error(), errc::malformed_sysfs_value) << file;
        std::filesystem::rename(kept, path);
    }
}

TEST_F(LinuxHost, MissingTablesAreEmpty)
{
    make_dual_port_hca(tree);
    std::filesystem::remove_all(tree.port("mlx5_0", 1) / "pkeys");
    EXPECT_THAT(machine.query_port("mlx5_0", 1).value().pkeys, IsEmpty());
    std::filesystem::remove_all(tree.port("mlx5_0", 1) / "gids");
    EXPECT_EQ(machine.query_port("mlx5_0", 1).error(), errc::malformed_sysfs_value) << "GID 0 is required";
}

TEST_F(LinuxHost, TableIndicesFromTheFileSystemCannotAskForMuchMemory)
{
    make_dual_port_hca(tree);
    for (auto const* const name : {"4294967295", "18446744073709551615", "65536", "-1", "1x", "x"})
        sysfs_tree::write(tree.port("mlx5_0", 1) / "pkeys" / name, "0x8002");
    EXPECT_THAT(machine.query_port("mlx5_0", 1).value().pkeys, ElementsAre(0xFFFF, 0x0000, 0x8001));
}

TEST_F(LinuxHost, EveryAttributeOfACaSaveItsTypeIsOptional)
{
    make_dual_port_hca(tree);
    for (auto const* const file : {"fw_ver", "hw_rev", "hca_type", "node_desc", "node_guid", "sys_image_guid"}) {
        ASSERT_TRUE(std::filesystem::remove(tree.ca("mlx5_0") / file));
        EXPECT_TRUE(machine.query_ca("mlx5_0")) << file;
        EXPECT_EQ(selected(), "mlx5_0 port 1") << file;
    }
    auto const bare = machine.query_ca("mlx5_0").value();
    EXPECT_EQ(bare.firmware_version + bare.hardware_version + bare.ca_type + bare.description, "");
    EXPECT_EQ(bare.node_guid, guid{});

    std::filesystem::remove(tree.ca("mlx5_0") / "node_type");
    auto const failed = machine.query_ca("mlx5_0").error();
    EXPECT_EQ(failed, errc::malformed_sysfs_value);
    EXPECT_THAT(failed.message(), HasSubstr("mlx5_0/node_type"));
    EXPECT_EQ(list_ports(machine).value().unreadable.size(), 1u);
}

TEST_F(LinuxHost, ACaWithGarbledAttributesIsToldAndSpoilsNoOther)
{
    make_dual_port_hca(tree);
    tree.add_ca("aaa");
    tree.add_port("aaa", {.number = 1});
    for (auto const* const file : {"node_type", "node_guid", "sys_image_guid"}) {
        sysfs_tree::write(tree.ca("aaa") / file, "garbage");
        auto const failed = machine.query_ca("aaa").error();
        EXPECT_EQ(failed, errc::malformed_sysfs_value);
        EXPECT_EQ(selected(), "mlx5_0 port 1");
    }
}

TEST_F(LinuxHost, DescriptionsKeepTheirBlanks)
{
    make_dual_port_hca(tree);
    sysfs_tree::write(tree.ca("mlx5_0") / "node_desc", " MT25408 ConnectX  \xc3\xa4 ");
    EXPECT_EQ(machine.query_ca("mlx5_0").value().description, " MT25408 ConnectX  \xc3\xa4 ");
}

TEST_F(LinuxHost, APortWithAnAllZeroGuidIsListedAndNeverChosen)
{
    make_dual_port_hca(tree);
    sysfs_tree::write(tree.port("mlx5_0", 1) / "gids/0", "fe80:0000:0000:0000:0000:0000:0000:0000");
    EXPECT_EQ(list_ports(machine).value().ports.size(), 2u);
    EXPECT_EQ(selected(), "mlx5_0 port 2");
}

} // namespace
} // namespace madrigal::umad
