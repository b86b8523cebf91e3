#include <madrigal/topology/generators.hpp>
#include <madrigal/topology/ibnetdiscover_writer.hpp>

#include "topology/sameness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace madrigal;
using namespace madrigal::topology;
using madrigal::topology::tests::expect_same;
using madrigal::topology::tests::read;
using testing::HasSubstr;

/// Nodes that a walk along the cables reaches from the first one.
std::size_t reachable(fabric const& in)
{
    std::vector<bool> seen(in.size());
    std::vector<node_index> next{0};
    seen[0] = true;
    std::size_t found = 0;
    while (!next.empty()) {
        auto const here = next.back();
        next.pop_back();
        ++found;
        for (auto const& end : in.at(here).ports)
            if (end.peer && !seen[end.peer.node]) {
                seen[end.peer.node] = true;
                next.push_back(end.peer.node);
            }
    }
    return found;
}

/// What every generated fabric keeps.
void expect_plausible(fabric const& made)
{
    EXPECT_EQ(reachable(made), made.size());
    std::set<std::uint64_t> guids;
    for (auto const& value : made.nodes()) {
        EXPECT_TRUE(guids.insert(value.node_guid.value()).second);
        EXPECT_EQ(value.node_guid.value() >> 56U, 2U) << "locally administered";
        EXPECT_LE(value.ports.size(), max_node_ports);
        EXPECT_FALSE(value.description.empty());
        if (value.type == node_type::ca) {
            EXPECT_TRUE(guids.insert(value.ports.at(0).port_guid->value()).second);
        }
    }
    auto const text = write_ibnetdiscover(made);
    auto const again = read(text);
    EXPECT_EQ(again.passed_over_total, 0U);
    expect_same(made, again.fabric);
}

template <class Shape>
std::string refusal(Shape const& shape, generate_options const& options = {})
{
    auto const made = generate(shape, options);
    if (made)
        return "made";
    EXPECT_EQ(made.error(), errc::invalid_argument);
    return made.error().context();
}

TEST(FatTree, OfTwoLevelsCablesEveryLeafToEverySpine)
{
    auto const made = generate(fat_tree{}).value();
    EXPECT_EQ(made.counts(), (fabric_counts{54, 648, 0, 36 * 18 + 36 * 18}));
    EXPECT_EQ(made.size(), 702U);
    expect_plausible(made);
    for (auto const& value : made.nodes())
        if (value.type == node_type::switch_) {
            EXPECT_EQ(value.port_count(), 36) << value.description;
        }
    EXPECT_EQ(made.at(made.find(*made.initiated_from_node)).type, node_type::ca);
}

TEST(FatTree, HasParallelCablesWhereAskedTo)
{
    auto const made = generate(fat_tree{4, 2, 3, 5}).value();
    EXPECT_EQ(made.counts(), (fabric_counts{7, 8, 0, 8 + 4 * 3 * 5}));
    expect_plausible(made);
}

TEST(FatTree, OfThreeLevelsCablesEachPlaneToItsCores)
{
    auto const made = generate(three_level_fat_tree{3, 4, 5, 2, 6}).value();
    EXPECT_EQ(made.counts(), (fabric_counts{12 + 12 + 6, 60, 0, 60 + 3 * 4 * 2 + 3 * 2 * 6}));
    expect_plausible(made);
}

TEST(KAryNTree, HasTheSizesOfItsDefinition)
{
    for (auto const& [k, n, switches, hosts] :
        {std::array{2U, 1U, 1U, 2U}, {2U, 2U, 4U, 4U}, {4U, 3U, 48U, 64U}, {3U, 4U, 108U, 81U}}) {
        auto const made = generate(k_ary_n_tree{k, n}).value();
        EXPECT_EQ(made.counts(), (fabric_counts{switches, hosts, 0, hosts * n})) << k << "-ary " << n << "-tree";
        expect_plausible(made);
    }
}

TEST(Torus, HasNeighboursInEveryDimensionAndAroundTheEdges)
{
    struct expected {
        std::vector<unsigned> sizes;
        std::size_t cables;
    };
    for (auto const& [sizes, cables] : {expected{{4, 4}, 32}, expected{{3, 4, 5}, 180}, expected{{2, 2, 2}, 12},
             expected{{5}, 5}, expected{{1, 3}, 3}, expected{{1}, 0}}) {
        auto const made = generate(torus{sizes, 2}).value();
        std::size_t switches = 1;
        for (auto const size : sizes)
            switches *= size;
        EXPECT_EQ(made.counts(), (fabric_counts{switches, 2 * switches, 0, 2 * switches + cables}));
        expect_plausible(made);
    }
}

TEST(Dragonfly, CablesEachRouterOfAGroupAndEachGroupToEach)
{
    auto const made = generate(dragonfly{}).value();
    EXPECT_EQ(made.counts(), (fabric_counts{36, 72, 0, 72 + 9 * 6 + 9 * 8 / 2}));
    expect_plausible(made);
    auto const few = generate(dragonfly{4, 3, 1, 2}).value(); // 6 global ports a group, 3 other groups: 2 cables each
    EXPECT_EQ(few.counts(), (fabric_counts{12, 12, 0, 12 + 4 * 3 + 6 * 2}));
    expect_plausible(few);
    expect_plausible(generate(dragonfly{1, 4, 1, 0}).value());
}

TEST(RandomGraph, IsConnectedWithinItsDegree)
{
    for (std::uint64_t seed = 0; seed != 20; ++seed) {
        auto const made = generate(random_graph{30, 47, 3, seed}).value();
        EXPECT_EQ(made.counts().switches, 30U);
        EXPECT_EQ(made.counts().cas, 47U);
        EXPECT_GE(made.counts().links, 47U + 29U);
        for (auto const& value : made.nodes())
            EXPECT_LE(value.ports.size(), 3U + 2U);
        expect_plausible(made);
    }
    expect_plausible(generate(random_graph{2, 0, 1, 3}).value());
    expect_plausible(generate(random_graph{1, 3, 0, 3}).value());
    expect_plausible(generate(random_graph{500, 10, 2, 3}).value());
}

TEST(RandomGraph, DependsOnItsSeedAlone)
{
    auto const text = [](std::uint64_t seed) {
        return write_ibnetdiscover(generate(random_graph{20, 20, 4, seed}).value());
    };
    EXPECT_EQ(text(5), text(5));
    EXPECT_NE(text(5), text(6));
}

TEST(Generators, SetWidthSpeedAndPortsAsAsked)
{
    auto const made =
        generate(torus{}, {.width = link_width::x12, .speed = link_speed::ndr, .switch_ports = 64}).value();
    EXPECT_EQ(made.at(0).port_count(), 64);
    for (auto const& value : made.nodes())
        for (auto const& end : value.ports)
            if (end.peer) {
                EXPECT_EQ(end.width, link_width::x12);
                EXPECT_EQ(end.speed, link_speed::ndr);
            }
    auto const untold = generate(torus{}, {.width = link_width::none, .speed = link_speed::none}).value();
    EXPECT_THAT(write_ibnetdiscover(untold), testing::Not(HasSubstr("4x")));
}

TEST(Generators, LeaveLidsUnsetOrGiveEachNodeItsOwn)
{
    auto const unset = generate(fat_tree{}).value();
    for (auto const& value : unset.nodes()) {
        EXPECT_FALSE(value.base_lid);
        if (value.type == node_type::ca) {
            EXPECT_FALSE(value.ports.at(0).base_lid);
        }
    }
    auto const made = generate(fat_tree{}, {.assign_lids = true}).value();
    std::set<std::uint16_t> lids;
    for (auto const& value : made.nodes()) {
        auto const& base_lid = value.type == node_type::switch_ ? value.base_lid : value.ports.at(0).base_lid;
        ASSERT_TRUE(base_lid);
        EXPECT_TRUE(base_lid->is_unicast());
        EXPECT_TRUE(lids.insert(base_lid->value()).second);
    }
    EXPECT_EQ(*lids.rbegin(), 702);
    expect_plausible(made);
}

TEST(Generators, EndWhereTheUnicastLidsDo)
{
    // 201 switches and 48,950 hosts are 49,151 nodes: exactly as many as there are unicast LIDs.
    auto const full = generate(random_graph{201, 48'950, 4, 1}, {.assign_lids = true, .switch_ports = 254});
    ASSERT_TRUE(full) << full.error().message();
    EXPECT_EQ(full.value().size(), 0xBFFFU);
    EXPECT_THAT(refusal(random_graph{201, 48'951, 4, 1}, {.assign_lids = true}),
        testing::AllOf(HasSubstr("49152 nodes"), HasSubstr("0xBFFF"), HasSubstr("unset")));
    EXPECT_TRUE(generate(random_graph{201, 48'951, 4, 1}));
}

TEST(Generators, MakeFiftyThousandNodesAndNoMore)
{
    auto const made = generate(random_graph{400, 49'600, 36, 1});
    ASSERT_TRUE(made);
    EXPECT_EQ(made.value().size(), 50'000U);
    EXPECT_EQ(reachable(made.value()), 50'000U);
    EXPECT_THAT(refusal(random_graph{400, 49'601, 36, 1}), HasSubstr("50001 nodes"));
}

TEST(Generators, RefuseWhatDoesNotFitAndNameTheNumber)
{
    unsigned const huge = 4'294'967'295U;
    EXPECT_THAT(refusal(fat_tree{0, 1, 1}), HasSubstr("leaves is 0"));
    EXPECT_THAT(refusal(fat_tree{1, 1, 0}), HasSubstr("spines is 0"));
    EXPECT_THAT(refusal(fat_tree{255, 1, 1}), HasSubstr("a spine switch needs 255 ports: expected at most 254"));
    EXPECT_THAT(refusal(fat_tree{2, 200, 55}), HasSubstr("a leaf switch needs 255 ports"));
    EXPECT_THAT(refusal(fat_tree{}, {.switch_ports = 35}), HasSubstr("needs 36 ports: expected at most 35"));
    EXPECT_THAT(refusal(fat_tree{}, {.switch_ports = 255}), HasSubstr("255 ports"));
    EXPECT_THAT(refusal(fat_tree{huge, huge, huge, huge}), HasSubstr("nodes"));
    EXPECT_THAT(refusal(three_level_fat_tree{huge, huge, huge, huge, huge}), HasSubstr("nodes"));
    EXPECT_THAT(refusal(three_level_fat_tree{255, 1, 1, 1, 1}), HasSubstr("a core switch needs 255 ports"));
    EXPECT_THAT(refusal(k_ary_n_tree{1, 3}), HasSubstr("k is 1"));
    EXPECT_THAT(refusal(k_ary_n_tree{2, 0}), HasSubstr("n is 0"));
    EXPECT_THAT(refusal(k_ary_n_tree{huge, huge}), HasSubstr("nodes"));
    EXPECT_THAT(refusal(k_ary_n_tree{2, 64}), HasSubstr("nodes"));
    EXPECT_THAT(refusal(k_ary_n_tree{128, 2}), HasSubstr("a switch needs 256 ports"));
    EXPECT_THAT(refusal(torus{{}, 1}), HasSubstr("0 dimensions"));
    EXPECT_THAT(refusal(torus{{4, 0}, 1}), HasSubstr("size is 0"));
    EXPECT_THAT(refusal(torus{{huge, huge, huge}, 1}), HasSubstr("nodes"));
    EXPECT_THAT(refusal(torus{{4, 4}, 251}), HasSubstr("a switch needs 255 ports"));
    EXPECT_THAT(refusal(dragonfly{10, 4, 2, 2}), HasSubstr("expected at most 9 groups"));
    EXPECT_THAT(refusal(dragonfly{0, 4, 2, 2}), HasSubstr("groups is 0"));
    EXPECT_THAT(refusal(dragonfly{huge, huge, huge, huge}), HasSubstr("nodes"));
    EXPECT_THAT(refusal(dragonfly{2, 4, 250, 2}), HasSubstr("a router needs 255 ports"));
    EXPECT_THAT(refusal(random_graph{0, 1, 2, 1}), HasSubstr("switches is 0"));
    EXPECT_THAT(refusal(random_graph{3, 1, 1, 1}), HasSubstr("degree 1: expected at least 2"));
    EXPECT_THAT(refusal(random_graph{2, 1, 0, 1}), HasSubstr("degree 0: expected at least 1"));
    EXPECT_THAT(refusal(random_graph{2, 1, 254, 1}), HasSubstr("a switch needs 255 ports"));
    EXPECT_THAT(refusal(random_graph{huge, huge, huge, 1}), HasSubstr("nodes"));
}

} // namespace
