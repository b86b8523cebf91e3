// What programs learn of CAs and ports, on machines that are trees of files, and on a simulated one.
#include "libibumad/with_host.hpp"
#include "umad/sysfs_tree.hpp"

#include <libibumad/umad_header.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <endian.h>
#include <string>
#include <vector>

namespace madrigal::libibumad::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using umad::test::sysfs_tree;

std::vector<std::string> names(int max = UMAD_MAX_DEVICES)
{
    std::array<char[UMAD_CA_NAME_LEN], UMAD_MAX_DEVICES> all{}; // NOLINT: the interface's
    int const count = ::umad_get_cas_names(all.data(), max);
    EXPECT_GE(count, 0);
    std::vector<std::string> told;
    for (int i = 0; i < count; ++i)
        told.emplace_back(all[static_cast<std::size_t>(i)]);
    return told;
}

std::vector<std::string> listed()
{
    std::vector<std::string> told;
    auto* const list = ::umad_get_ca_device_list();
    for (auto const* one = list; one != nullptr; one = one->next)
        told.emplace_back(one->ca_name);
    ::umad_free_ca_device_list(list);
    return told;
}

/// A port that is released with the object.
struct port_record : umad_port_t {
    port_record(char const* ca, int number) : umad_port_t{} { outcome = ::umad_get_port(ca, number, this); }
    port_record(port_record const&) = delete;
    port_record& operator=(port_record const&) = delete;
    ~port_record() { ::umad_release_port(this); }
    int outcome = -1;
};

TEST(Devices, AreNamedInByteOrderAndWhole)
{
    sysfs_tree tree;
    for (auto const* name : {"mlx5_2", "mlx5_10", "a_name_of_20_letters"})
        tree.add_ca(name);
    with_host(host_of(tree), [] {
        EXPECT_THAT(listed(), ElementsAre("a_name_of_20_letters", "mlx5_10", "mlx5_2"));
        EXPECT_THAT(names(), ElementsAre("mlx5_10", "mlx5_2")); // the other one does not fit
        EXPECT_THAT(names(1), ElementsAre("mlx5_10"));
        EXPECT_THAT(names(0), IsEmpty());
        umad_ca_t ca{};
        EXPECT_EQ(::umad_get_ca("a_name_of_20_letters", &ca), -ENAMETOOLONG);
    });
}

TEST(Devices, AreNoneWhereThereIsNoInfiniband)
{
    sysfs_tree const tree;
    with_host(host_of(tree), [] {
        EXPECT_THAT(names(), IsEmpty());
        errno = E2BIG;
        EXPECT_EQ(::umad_get_ca_device_list(), nullptr);
        EXPECT_EQ(errno, 0);
        EXPECT_EQ(::umad_open_port(nullptr, 0), -ENODEV);
        umad_ca_t ca{};
        EXPECT_EQ(::umad_get_ca(nullptr, &ca), -ENODEV);
        EXPECT_EQ(port_record(nullptr, 0).outcome, -ENODEV);
    });
}

TEST(Devices, AListIsSortedByName)
{
    umad_device_node c{nullptr, "mlx5_2"};
    umad_device_node b{&c, "hfi1_0"};
    umad_device_node a{&b, "mlx5_10"};
    umad_device_node* head = &a;
    EXPECT_EQ(::umad_sort_ca_device_list(&head, 4), EINVAL);
    EXPECT_EQ(::umad_sort_ca_device_list(&head, 2), EINVAL);
    EXPECT_EQ(head, &a);
    EXPECT_EQ(::umad_sort_ca_device_list(&head, 0), 0);
    EXPECT_EQ(head, &b);
    EXPECT_EQ(b.next, &a);
    EXPECT_EQ(a.next, &c);
    EXPECT_EQ(c.next, nullptr);
    EXPECT_EQ(::umad_sort_ca_device_list(&head, 3), 0);
    EXPECT_EQ(::umad_sort_ca_device_list(nullptr, 0), EINVAL);
    head = nullptr;
    EXPECT_EQ(::umad_sort_ca_device_list(&head, 0), 0);
}

TEST(Attributes, OfACaAndItsPortsAreInTheHeadersByteOrder)
{
    sysfs_tree tree;
    make_dual_port_hca(tree);
    with_host(host_of(tree), [] {
        umad_ca_t ca{};
        ASSERT_EQ(::umad_get_ca("mlx5_0", &ca), 0);
        EXPECT_STREQ(ca.ca_name, "mlx5_0");
        EXPECT_EQ(ca.node_type, 1U);
        EXPECT_EQ(ca.numports, 2);
        EXPECT_STREQ(ca.fw_ver, "20.31.1014");
        EXPECT_STREQ(ca.ca_type, "MT4123");
        EXPECT_STREQ(ca.hw_ver, "0");
        EXPECT_EQ(be64toh(ca.node_guid), 0xB8599F030005F348);
        EXPECT_EQ(be64toh(ca.system_guid), 0xB8599F030005F348);
        EXPECT_EQ(ca.ports[0], nullptr);
        ASSERT_NE(ca.ports[2], nullptr);
        EXPECT_EQ(ca.ports[3], nullptr);
        auto const& port = *ca.ports[2];
        EXPECT_STREQ(port.ca_name, "mlx5_0");
        EXPECT_EQ(port.portnum, 2);
        EXPECT_EQ(port.base_lid, 0x20U);
        EXPECT_EQ(port.state, 4U);
        EXPECT_EQ(port.phys_state, 5U);
        EXPECT_EQ(port.rate, 200U);
        EXPECT_EQ(be32toh(port.capmask), 0x2651E848U);
        EXPECT_EQ(be64toh(port.gid_prefix), 0xFE80000000000000);
        EXPECT_EQ(be64toh(port.port_guid), 0xB8599F030005F34B);
        EXPECT_STREQ(port.link_layer, "InfiniBand");
        EXPECT_GT(port.pkeys_size, 0U);
        EXPECT_EQ(port.pkeys[0], 0xFFFF);
        EXPECT_EQ(::umad_release_ca(&ca), 0);
        EXPECT_EQ(ca.ports[2], nullptr);
    });
}

TEST(Attributes, OfATwelfthPortAreThereAndNothingBehindTheArrayIsWritten)
{
    sysfs_tree tree;
    make_twelve_ports(tree);
    with_host(host_of(tree), [] {
        struct {
            umad_ca_t ca;
            std::array<unsigned char, 64> behind;
        } memory{};
        memory.behind.fill(0xA5);
        ASSERT_EQ(::umad_get_ca("hca12", &memory.ca), 0);
        EXPECT_EQ(memory.ca.numports, UMAD_CA_MAX_PORTS - 1);
        ASSERT_NE(memory.ca.ports[9], nullptr);
        EXPECT_THAT(memory.behind, testing::Each(0xA5));
        EXPECT_EQ(::umad_release_ca(&memory.ca), 0);
        port_record const twelfth{"hca12", 12};
        EXPECT_EQ(twelfth.outcome, 0);
        EXPECT_EQ(twelfth.base_lid, 112U);
        port_record const any_twelfth{nullptr, 12};
        EXPECT_EQ(any_twelfth.outcome, 0);
        EXPECT_EQ(any_twelfth.portnum, 12);
        int const id = ::umad_open_port("hca12", 12);
        EXPECT_GE(id, 0);
        EXPECT_EQ(::umad_close_port(id), 0);
    });
}

TEST(Attributes, PortGuidsStandAtTheirPortsNumbers)
{
    sysfs_tree tree;
    make_twelve_ports(tree);
    with_host(host_of(tree), [] {
        std::array<__be64, 14> guids{};
        guids.fill(~0ULL);
        EXPECT_EQ(::umad_get_ca_portguids("hca12", guids.data(), 13), 13);
        EXPECT_EQ(guids[0], 0U);
        EXPECT_EQ(be64toh(guids[12]), 0xB8599F030005000C);
        EXPECT_EQ(guids[13], ~0ULL);
        EXPECT_EQ(::umad_get_ca_portguids("hca12", guids.data(), 12), -ENOMEM);
        EXPECT_EQ(::umad_get_ca_portguids(nullptr, guids.data(), 13), 13);
        EXPECT_EQ(::umad_get_ca_portguids("nothing", guids.data(), 13), -ENODEV);
        EXPECT_EQ(::umad_get_ca_portguids("hca12", nullptr, 0), 0);
    });
    sysfs_tree other;
    make_switch(other);
    with_host(host_of(other), [] {
        std::array<__be64, 1> guids{};
        EXPECT_EQ(::umad_get_ca_portguids("mlx5_0", guids.data(), 1), 1);
        EXPECT_EQ(be64toh(guids[0]), 0x0002C90300A01B10);
    });
}

TEST(Attributes, OfAPortThatCannotBeReadSpoilNoOther)
{
    sysfs_tree tree;
    make_dual_port_hca(tree);
    sysfs_tree::write(tree.port("mlx5_0", 1) / "state", "nonsense");
    with_host(host_of(tree), [] {
        umad_ca_t ca{};
        ASSERT_EQ(::umad_get_ca("mlx5_0", &ca), 0);
        EXPECT_EQ(ca.ports[1], nullptr);
        EXPECT_NE(ca.ports[2], nullptr);
        ::umad_release_ca(&ca);
        EXPECT_EQ(port_record("mlx5_0", 1).outcome, -EIO);
        std::array<__be64, 3> guids{};
        EXPECT_EQ(::umad_get_ca_portguids("mlx5_0", guids.data(), 3), 3);
        EXPECT_EQ(guids[1], 0U);
        EXPECT_NE(guids[2], 0U);
    });
}

TEST(Choice, IsAnActivePortBeforeOneWithoutACable)
{
    sysfs_tree tree;
    make_ca_with_one_port_down(tree);
    with_host(host_of(tree), [] {
        EXPECT_EQ(port_record(nullptr, 0).portnum, 2);
        EXPECT_EQ(port_record("mlx4_0", 0).portnum, 2);
        EXPECT_EQ(port_record("mlx4_0", 1).portnum, 1); // whoever names a port gets it
        EXPECT_EQ(port_record(nullptr, 1).portnum, 1);
        EXPECT_EQ(port_record(nullptr, 3).outcome, -ENODEV);
        EXPECT_EQ(port_record(nullptr, -1).outcome, -EINVAL);
        int const down = ::umad_open_port("mlx4_0", 1);
        EXPECT_GE(down, 0);
        ::umad_close_port(down);
    });
}

TEST(Choice, PassesOverWhatIsNotInfinibandUnlessItIsNamed)
{
    sysfs_tree tree;
    make_roce(tree);
    with_host(host_of(tree), [] {
        EXPECT_EQ(port_record(nullptr, 0).outcome, -ENODEV);
        EXPECT_EQ(::umad_open_port(nullptr, 0), -ENODEV);
        port_record const named{"bnxt_re0", 1};
        EXPECT_EQ(named.outcome, 0);
        EXPECT_STREQ(named.link_layer, "Ethernet");
    });
}

TEST(Choice, OfASwitchIsItsPortZero)
{
    sysfs_tree tree;
    make_switch(tree);
    with_host(host_of(tree), [] {
        EXPECT_EQ(port_record("mlx5_0", 0).outcome, 0);
        port_record const any{nullptr, 0};
        EXPECT_EQ(any.outcome, 0);
        EXPECT_EQ(any.portnum, 0);
        EXPECT_EQ(any.base_lid, 2U);
    });
}

TEST(Choice, TellsWhyAFileCannotBeOpened)
{
    sysfs_tree tree;
    tree.add_ca("mlx5_0");
    tree.add_port("mlx5_0", {.number = 1});
    tree.add_umad(0, "mlx5_0", 1, false); // no device file
    with_host(host_of(tree), [] {
        EXPECT_EQ(::umad_open_port("mlx5_0", 1), -EIO);
        EXPECT_EQ(errno, ENOENT);
        EXPECT_EQ(::umad_open_port(nullptr, 0), -EIO);
        EXPECT_EQ(port_record(nullptr, 0).outcome, 0); // its attributes need no device file
    });
    sysfs_tree without;
    without.add_ca("mlx5_0");
    without.add_port("mlx5_0", {.number = 1});
    with_host(host_of(without), [] { EXPECT_EQ(::umad_open_port("mlx5_0", 1), -EINVAL); });
    sysfs_tree newer;
    make_dual_port_hca(newer);
    sysfs_tree::write(newer.mad_class() / "abi_version", "6");
    with_host(host_of(newer), [] { EXPECT_EQ(::umad_open_port("mlx5_0", 1), -EOPNOTSUPP); });
}

TEST(Choice, OfTheEnvironmentIsTheDefaultCa)
{
    sysfs_tree tree;
    for (auto const* name : {"mlx5_0", "mlx5_1"}) {
        tree.add_ca(name);
        tree.add_port(name, {.number = 1});
    }
    tree.add_umad(0, "mlx5_0", 1);
    tree.add_umad(1, "mlx5_1", 1);
    with_host(host_of(tree), [] { EXPECT_STREQ(port_record(nullptr, 0).ca_name, "mlx5_0"); });
    with_host(
        host_of(tree), [] { EXPECT_STREQ(port_record(nullptr, 0).ca_name, "mlx5_1"); }, "mlx5_1");
    // A name that nobody has must not end at another device, whose subnet is another one.
    with_host(
        host_of(tree),
        [] {
            umad_port_t port;
            EXPECT_LT(::umad_get_port(nullptr, 0, &port), 0);
            EXPECT_LT(::umad_open_port(nullptr, 0), 0);
        },
        "mlx5_9");
    with_host(
        small_fabric(), [] { EXPECT_EQ(port_record(nullptr, 0).base_lid, 2U); }, "right HCA-1");
}

TEST(IssmPath, NamesTheFileOfThePortItself)
{
    sysfs_tree tree;
    make_twelve_ports(tree);
    with_host(host_of(tree), [&] {
        std::array<char, 256> path{};
        EXPECT_EQ(::umad_get_issm_path("hca12", 5, path.data(), path.size()), 0);
        EXPECT_EQ(path.data(), tree.node("issm7").string());
        EXPECT_EQ(::umad_get_issm_path("hca12", 5, path.data(), 5), -EINVAL);
        EXPECT_EQ(errno, ENAMETOOLONG);
        EXPECT_EQ(::umad_get_issm_path("hca12", 5, nullptr, 5), -EINVAL);
        EXPECT_EQ(::umad_get_issm_path("hca12", 13, path.data(), path.size()), -EINVAL);
        EXPECT_EQ(::umad_get_issm_path("nothing", 1, path.data(), path.size()), -ENODEV);
    });
    with_host(small_fabric(), [] {
        std::array<char, 256> path{};
        EXPECT_EQ(::umad_get_issm_path(nullptr, 0, path.data(), path.size()), -EINVAL);
        EXPECT_EQ(errno, ENOTSUP); // such a fabric ends with the process
    });
}

TEST(Host, ThatCannotBeOpenedIsToldOfOnceAndOnStderr)
{
    with_host("sim:/nowhere.topo", [] {
        auto const said = output_of([] {
            EXPECT_EQ(::umad_open_port(nullptr, 0), -ENODEV);
            EXPECT_EQ(::umad_open_port(nullptr, 0), -ENODEV);
            EXPECT_EQ(::umad_get_ca_device_list(), nullptr);
            EXPECT_NE(errno, 0);
        });
        EXPECT_THAT(said.out, IsEmpty());
        EXPECT_THAT(said.err, testing::HasSubstr("host sim:/nowhere.topo: open /nowhere.topo: No such file"));
        EXPECT_EQ(std::ranges::count(said.err, '\n'), 1);
    });
}

} // namespace
} // namespace madrigal::libibumad::test
