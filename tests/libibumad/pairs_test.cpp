// The functions of versions 1.3 and 1.4: devices that take SMPs and GMPs apart.
#include "libibumad/with_host.hpp"
#include "umad/sysfs_tree.hpp"

#include <libibumad/umad_header.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cerrno>

namespace madrigal::libibumad::test {
namespace {

using umad::test::sysfs_tree;

TEST(Pairs, OfAnOrdinaryAdapterAreOneDeviceWithItsBestPort)
{
    sysfs_tree tree;
    make_ca_with_one_port_down(tree);
    with_host(host_of(tree), [] {
        std::array<umad_ca_pair, 4> pairs{};
        ASSERT_EQ(::umad_get_smi_gsi_pairs(pairs.data(), pairs.size()), 1);
        EXPECT_STREQ(pairs[0].smi_name, "mlx4_0");
        EXPECT_STREQ(pairs[0].gsi_name, "mlx4_0");
        EXPECT_EQ(pairs[0].smi_preferred_port, 2U);
        EXPECT_EQ(pairs[0].gsi_preferred_port, 2U);
        umad_ca_pair one{};
        ASSERT_EQ(::umad_get_smi_gsi_pair_by_ca_name(nullptr, 0, &one, 1), 0);
        EXPECT_EQ(one.smi_preferred_port, 2U);
        ASSERT_EQ(::umad_get_smi_gsi_pair_by_ca_name("mlx4_0", 1, &one, 1), 0); // named in full: also while it is down
        EXPECT_EQ(one.smi_preferred_port, 1U);
        EXPECT_EQ(one.gsi_preferred_port, 1U);
    });
}

TEST(Pairs, OfASplitAdapterAreFoundByEitherName)
{
    sysfs_tree tree;
    make_split_pair(tree);
    with_host(host_of(tree), [] {
        std::array<umad_ca_pair, 4> pairs{};
        ASSERT_EQ(::umad_get_smi_gsi_pairs(pairs.data(), pairs.size()), 1);
        EXPECT_STREQ(pairs[0].smi_name, "smi1");
        EXPECT_STREQ(pairs[0].gsi_name, "mlx5_0");
        for (auto const* name : {"smi1", "mlx5_0", static_cast<char const*>(nullptr)}) {
            umad_ca_pair one{};
            ASSERT_EQ(::umad_get_smi_gsi_pair_by_ca_name(name, 1, &one, 1), 0);
            EXPECT_STREQ(one.smi_name, "smi1");
            EXPECT_STREQ(one.gsi_name, "mlx5_0");
            EXPECT_EQ(one.smi_preferred_port, 1U);
            EXPECT_EQ(one.gsi_preferred_port, 1U);
        }
    });
}

TEST(Pairs, WithoutASideForSmpsAreForGmpsOnly)
{
    sysfs_tree tree;
    tree.add_ca("mlx5_0");
    tree.add_port("mlx5_0", {.number = 1, .cap_mask = "0x2651ec48"});
    tree.add_umad(0, "mlx5_0", 1);
    with_host(host_of(tree), [] {
        umad_ca_pair one{};
        EXPECT_EQ(::umad_get_smi_gsi_pair_by_ca_name("mlx5_0", 1, &one, 1), -ENODEV);
        EXPECT_EQ(errno, ENODEV);
        ASSERT_EQ(::umad_get_smi_gsi_pair_by_ca_name("mlx5_0", 1, &one, 0), 0);
        EXPECT_STREQ(one.smi_name, "");
        EXPECT_STREQ(one.gsi_name, "mlx5_0");
        EXPECT_EQ(::umad_open_smi_port(nullptr, 0), -ENODEV);
        EXPECT_EQ(::umad_open_smi_port("mlx5_0", 1), -ENODEV);
    });
}

TEST(Pairs, AnSmiPortIsOneThatTakesSmps)
{
    sysfs_tree tree;
    make_split_pair(tree);
    with_host(host_of(tree), [] {
        int const id = ::umad_open_smi_port(nullptr, 0); // smi1, behind mlx5_0 in the order of names
        EXPECT_GE(id, 0);
        EXPECT_EQ(::umad_close_port(id), 0);
        EXPECT_EQ(::umad_open_smi_port("mlx5_0", 0), -ENODEV);
    });
}

TEST(Pairs, AreCountedUpToTheRoomThatThereIs)
{
    sysfs_tree tree;
    for (auto const* name : {"mlx5_0", "mlx5_1"}) {
        tree.add_ca(name);
        tree.add_port(name, {.number = 1, .guid = std::string{"b859:9f03:0005:000"} + name[5]});
    }
    with_host(host_of(tree), [] {
        std::array<umad_ca_pair, 2> pairs{};
        EXPECT_EQ(::umad_get_smi_gsi_pairs(pairs.data(), 1), 1);
        EXPECT_STREQ(pairs[1].gsi_name, "");
        EXPECT_EQ(::umad_get_smi_gsi_pairs(pairs.data(), 2), 2);
        EXPECT_STREQ(pairs[1].gsi_name, "mlx5_1");
        EXPECT_EQ(::umad_get_smi_gsi_pairs(nullptr, 0), 0);
        EXPECT_EQ(::umad_get_smi_gsi_pairs(nullptr, 1), -1);
        EXPECT_EQ(::umad_get_smi_gsi_pair_by_ca_name(nullptr, 0, nullptr, 0), -EINVAL);
        umad_ca_pair one{};
        EXPECT_EQ(::umad_get_smi_gsi_pair_by_ca_name("nothing", 0, &one, 0), -ENODEV);
        ASSERT_EQ(::umad_get_smi_gsi_pair_by_ca_name(nullptr, 0, &one, 0), 0);
        EXPECT_STREQ(one.gsi_name, "mlx5_0");
    });
    auto const of_the_environment = [] {
        umad_ca_pair one{};
        ASSERT_EQ(::umad_get_smi_gsi_pair_by_ca_name(nullptr, 0, &one, 0), 0);
        EXPECT_STREQ(one.gsi_name, "mlx5_1");
    };
    with_host(host_of(tree), of_the_environment, "mlx5_1");
}

TEST(Pairs, OnASimulatedFabricAreTheMachinesOwnCa)
{
    with_host(small_fabric(), [] {
        umad_ca_pair one{};
        ASSERT_EQ(::umad_get_smi_gsi_pair_by_ca_name(nullptr, 0, &one, 1), 0);
        EXPECT_STREQ(one.smi_name, one.gsi_name);
        int const id = ::umad_open_smi_port(one.smi_name, static_cast<int>(one.smi_preferred_port));
        EXPECT_GE(id, 0);
        EXPECT_EQ(::umad_close_port(id), 0);
    });
}

} // namespace
} // namespace madrigal::libibumad::test
