// umad_get_port(3) and umad_release_port(3), promise by promise, read from a tree that looks like a real machine's
// sysfs.
#include "umad/sysfs_tree.hpp"

#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/linux_host.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace madrigal::umad {
namespace {

using namespace test;
using testing::ElementsAre;

class UmadGetPort : public testing::Test {
protected:
    UmadGetPort() { make_dual_port_hca(tree); }

    port_attributes get(std::string_view ca = {}, std::optional<unsigned> port = {})
    {
        return select_port(machine, {.ca = ca, .port = port}).value();
    }

    void set(std::string const& attribute, std::string const& text)
    {
        sysfs_tree::write(tree.port("mlx5_0", 1) / attribute, text);
    }

    sysfs_tree tree;
    linux_host machine{{.sysfs_root = tree.sys(), .device_root = tree.dev()}};
};

// --- the twelve attributes

TEST_F(UmadGetPort, FillsCaName)
{
    EXPECT_EQ(get().ca_name, "mlx5_0");
}

TEST_F(UmadGetPort, FillsPortnum)
{
    EXPECT_EQ(get("mlx5_0", 1).number, 1u);
    EXPECT_EQ(get("mlx5_0", 2).number, 2u);
}

TEST_F(UmadGetPort, FillsBaseLid)
{
    EXPECT_EQ(get("mlx5_0", 1).base_lid, lid{0x1f});
    EXPECT_EQ(get("mlx5_0", 2).base_lid, lid{0x20});
}

TEST_F(UmadGetPort, FillsLmc)
{
    EXPECT_EQ(get().lmc, 2);
}

TEST_F(UmadGetPort, FillsSmLid)
{
    EXPECT_EQ(get().sm_lid, lid{3});
}

TEST_F(UmadGetPort, FillsSmSl)
{
    EXPECT_EQ(get().sm_sl, 1);
}

TEST_F(UmadGetPort, FillsEveryState)
{
    char const* const names[] = {"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};
    for (unsigned value = 0; value != std::size(names); ++value) {
        set("state", std::to_string(value) + ": " + names[value]);
        EXPECT_EQ(static_cast<unsigned>(get("mlx5_0", 1).state), value);
    }
}

TEST_F(UmadGetPort, FillsEveryPhysState)
{
    for (unsigned value = 0; value != 8; ++value) {
        set("phys_state", std::to_string(value) + ": whatever");
        EXPECT_EQ(static_cast<unsigned>(get("mlx5_0", 1).phys_state), value);
    }
}

TEST_F(UmadGetPort, FillsRate)
{
    EXPECT_EQ(get().rate, 200u);
    EXPECT_EQ(get().rate_text, "200 Gb/sec (4X HDR)");
    set("rate", "2.5 Gb/sec (1X SDR)");
    EXPECT_EQ(get("mlx5_0", 1).rate, 2u);
}

TEST_F(UmadGetPort, FillsCapmask)
{
    EXPECT_EQ(get().capability_mask, 0x2651'e848u);
    set("cap_mask", "0xffffffff");
    EXPECT_EQ(get("mlx5_0", 1).capability_mask, 0xFFFF'FFFFu);
}

TEST_F(UmadGetPort, FillsGidPrefix)
{
    EXPECT_EQ(get().gid_prefix, default_subnet_prefix);
    set("gids/0", "fec0:0000:0000:1234:b859:9f03:0005:f34a");
    EXPECT_EQ(get("mlx5_0", 1).gid_prefix, 0xfec0'0000'0000'1234ULL);
}

TEST_F(UmadGetPort, FillsPortGuid)
{
    EXPECT_EQ(get().port_guid, guid{0xb859'9f03'0005'f34aULL});
}

// --- and what came later

TEST_F(UmadGetPort, FillsPkeysAndKeepsEmptyPlaces)
{
    EXPECT_THAT(get().pkeys, ElementsAre(0xFFFF, 0x0000, 0x8001));
}

TEST_F(UmadGetPort, FillsGidsAndKeepsEmptyPlaces)
{
    EXPECT_THAT(get().gids, ElementsAre(gid{default_subnet_prefix, guid{0xb859'9f03'0005'f34aULL}}, gid{},
                                gid{default_subnet_prefix, guid{7}}));
}

TEST_F(UmadGetPort, OrdersTablesByNumberAndNotByName)
{
    for (unsigned index = 3; index != 128; ++index)
        set("pkeys/" + std::to_string(index), "0x7" + std::to_string(100 + index));
    auto const pkeys = get("mlx5_0", 1).pkeys;
    ASSERT_EQ(pkeys.size(), 128u);
    EXPECT_EQ(pkeys[10], 0x7110);
    EXPECT_EQ(pkeys[100], 0x7200);
}

TEST_F(UmadGetPort, FillsLinkLayer)
{
    EXPECT_EQ(get().layer, link_layer::infiniband);
    set("link_layer", "Ethernet");
    EXPECT_EQ(get("mlx5_0", 1).layer, link_layer::ethernet);
    set("link_layer", "Unspecified");
    EXPECT_EQ(get("mlx5_0", 1).layer, link_layer::unknown);
}

// --- names and filters

TEST_F(UmadGetPort, NeitherNameNorNumberGivesTheDefaultPort)
{
    set("state", "2: INIT");
    EXPECT_EQ(get().number, 2u);
}

TEST_F(UmadGetPort, NumberAloneIsAFilterOnAllCas)
{
    tree.add_ca("mlx5_1");
    tree.add_port("mlx5_1", {.number = 3, .guid = "b859:9f03:0005:0001"});
    tree.add_umad(2, "mlx5_1", 3);
    EXPECT_EQ(get({}, 3).ca_name, "mlx5_1");
    EXPECT_EQ(get({}, 2).ca_name, "mlx5_0");
}

TEST_F(UmadGetPort, NameAloneIsAFilterOnItsPorts)
{
    tree.add_ca("aaa_0");
    tree.add_port("aaa_0", {.number = 1, .guid = "b859:9f03:0005:0001"});
    tree.add_umad(2, "aaa_0", 1);
    EXPECT_EQ(get().ca_name, "aaa_0");
    EXPECT_EQ(get("mlx5_0").ca_name, "mlx5_0");
}

TEST_F(UmadGetPort, ErrorsAreNeitherPortNorCrash)
{
    EXPECT_EQ(select_port(machine, {.ca = "mlx5_0", .port = 3}).error(), errc::no_such_port);
    EXPECT_EQ(select_port(machine, {.ca = "mlx5_0", .port = 0xFFFF'FFFF}).error(), errc::no_such_port);
    EXPECT_EQ(select_port(machine, {.ca = "nowhere", .port = 1}).error(), errc::no_such_ca);
}

// --- umad_release_port(3)

TEST_F(UmadGetPort, AttributesOutliveTheDeviceAndAreReleasedWithTheirOwner)
{
    auto const port = get();
    std::filesystem::remove_all(tree.ca("mlx5_0"));
    EXPECT_EQ(port.pkeys.size(), 3u);
    EXPECT_EQ(port.ca_name, "mlx5_0");
    // That nothing is left behind is what the sanitizers' leak check says at exit.
}

} // namespace
} // namespace madrigal::umad
