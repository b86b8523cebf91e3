// Forwarding tables: everybody is reached, on short ways, evenly, and without credit loops.
#include "subnet/swept.hpp"

#include <madrigal/subnet/path_search.hpp>
#include <madrigal/subnet/routing.hpp>

#include <functional>
#include <ostream>
#include <string>

namespace madrigal::tests {
namespace {

struct shape {
    char const* name;
    std::function<topology::fabric()> make;

    friend std::ostream& operator<<(std::ostream& to, shape const& one) { return to << one.name; }
};

template <class Shape>
std::function<topology::fabric()> of(Shape const& shape)
{
    return [shape] { return topology::generate(shape).value(); };
}

/// Switches with two CAs each, in a circle of cables.
topology::fabric ring(unsigned switches)
{
    return topology::generate(topology::torus{{switches}, 2}).value();
}

/// Two switches with three cables between them, one of them plugged into itself, a router, CAs with two ports.
topology::fabric odd_cables()
{
    topology::fabric layout;
    auto const own = layout.add(make_ca(0x1, 2, "own"));
    auto const a = layout.add(make_switch(0x20, 8, "a"));
    auto const b = layout.add(make_switch(0x10, 8, "b"));
    auto const both = layout.add(make_ca(0x2, 2, "both"));
    auto gate = make_ca(0x3, 2, "gate");
    gate.type = node_type::router;
    gate.id = topology::canonical_id(gate.type, gate.node_guid);
    auto const router = layout.add(gate);
    for (std::uint8_t p = 1; p <= 3; ++p)
        plug(layout, {a, p}, {b, static_cast<std::uint8_t>(4 - p)});
    plug(layout, {a, 4}, {a, 5});
    plug(layout, {own, 1}, {a, 6});
    plug(layout, {own, 2}, {b, 6});
    plug(layout, {both, 1}, {a, 7});
    plug(layout, {both, 2}, {a, 8});
    plug(layout, {router, 1}, {b, 7});
    return layout;
}

class Routing : public ::testing::TestWithParam<shape> {};

TEST_P(Routing, MinHopReachesEverybodyOnTheFewestHops)
{
    for (unsigned const lmc : {0U, 2U}) {
        auto in = swept(GetParam().make());
        known_lids known;
        ASSERT_TRUE(assign_lids(in, known, lmc));
        route_min_hop(in);
        EXPECT_EQ(missing_routes(in), 0u);
        for (auto const& from : in.ends) {
            auto const fewest = fewest_hops(in, from.at.node);
            for (auto const& to : in.ends) {
                // A CA's port is not reached by way of its node's other ones.
                if (from.at.node == to.at.node)
                    continue;
                for (unsigned i = 0; i != to.lid_count(); ++i) {
                    lid const address{static_cast<std::uint16_t>(to.base_lid.value() + i)};
                    auto const way = walk(in, from.at, address, to.at);
                    ASSERT_TRUE(way) << in.name(from.at.node) << " to " << in.name(to.at.node);
                    if (in.node(from.at.node).port_count() == 1 || in.is_switch(from.at.node)) {
                        if (in.node(to.at.node).port_count() == 1 || in.is_switch(to.at.node)) {
                            EXPECT_EQ(way->size(), fewest[to.at.node]);
                        }
                    }
                    EXPECT_TRUE(follow_tables(in, from, to, address));
                }
            }
        }
    }
}

TEST_P(Routing, UpDownReachesEverybodyWithoutACreditLoop)
{
    for (unsigned const lmc : {0U, 2U}) {
        auto in = swept(GetParam().make());
        known_lids known;
        ASSERT_TRUE(assign_lids(in, known, lmc));
        auto const roots = route_up_down(in);
        EXPECT_FALSE(roots.empty());
        EXPECT_EQ(missing_routes(in), 0u);
        EXPECT_EQ(cut_off(in, false), std::vector<std::string>{});
        EXPECT_FALSE(has_credit_loop(in));
    }
}

TEST_P(Routing, UpDownDoesSoWithWhateverRoots)
{
    auto in = swept(GetParam().make());
    known_lids known;
    ASSERT_TRUE(assign_lids(in, known));
    for (unsigned seed = 0; seed != 6; ++seed) {
        std::vector<guid> roots;
        for (unsigned i = 0; i <= seed % 3; ++i)
            roots.push_back(in.node(in.switches[(seed * 7 + i * 3) % in.switches.size()]).node_guid);
        if (seed == 5)
            roots.push_back(guid{0xDEAD}); // nobody's
        (void)route_up_down(in, roots);
        EXPECT_EQ(cut_off(in, false), std::vector<std::string>{});
        EXPECT_FALSE(has_credit_loop(in));
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Routing,
    ::testing::Values(
        shape{"FatTree", of(topology::fat_tree{.leaves = 6, .hosts_per_leaf = 3, .spines = 3, .cables = 2})},
        shape{"ThreeLevels", of(topology::three_level_fat_tree{3, 2, 2, 2, 2})},
        shape{"KAryNTree", of(topology::k_ary_n_tree{3, 3})}, shape{"Torus", of(topology::torus{{4, 4}, 1})},
        shape{"Torus3d", of(topology::torus{{3, 3, 3}, 1})}, shape{"Ring", [] { return ring(7); }},
        shape{"Dragonfly", of(topology::dragonfly{9, 4, 1, 2})},
        shape{"RandomA", of(topology::random_graph{16, 24, 4, 1})},
        shape{"RandomB", of(topology::random_graph{20, 15, 3, 2})},
        shape{"RandomC", of(topology::random_graph{12, 30, 6, 3})},
        shape{"OneSwitch", of(topology::random_graph{1, 3, 1, 1})}, shape{"OddCables", odd_cables}),
    [](auto const& one) { return one.param.name; });

TEST(MinHop, OnACircleHasACreditLoop)
{
    for (unsigned const switches : {5U, 6U, 7U}) {
        auto in = swept(ring(switches));
        known_lids known;
        ASSERT_TRUE(assign_lids(in, known));
        route_min_hop(in);
        EXPECT_TRUE(has_credit_loop(in)) << switches;
        (void)route_up_down(in);
        EXPECT_FALSE(has_credit_loop(in)) << switches;
    }
    auto in = subnet_of(topology::torus{{5, 5}, 1});
    route_min_hop(in);
    EXPECT_TRUE(has_credit_loop(in));
}

TEST(MinHop, OnATreeHasNone)
{
    auto in = subnet_of(topology::three_level_fat_tree{});
    route_min_hop(in);
    EXPECT_FALSE(has_credit_loop(in));
}

/// How many LIDs of CAs each port of a switch has, by where it leads: all of its CAs are one place.
std::map<topology::node_index, std::map<unsigned, unsigned>> loads(managed_subnet const& in, unsigned switch_number)
{
    std::map<topology::node_index, std::map<unsigned, unsigned>> all;
    auto const index = in.switches[switch_number];
    for (unsigned p = 1; p <= in.node(index).port_count(); ++p)
        if (auto const peer = in.peer({index, static_cast<std::uint8_t>(p)}); peer && in.is_switch(peer.node))
            all[peer.node][p] = 0;
    for (auto const& end : in.ends)
        if (!in.is_switch(end.at.node))
            for (unsigned i = 0; i != end.lid_count(); ++i) {
                auto const port = in.tables[switch_number].at(end.base_lid.value() + i);
                if (auto const peer = in.peer({index, port}); peer && in.is_switch(peer.node))
                    ++all[peer.node][port];
            }
    return all;
}

TEST(Routes, UpwardsInASymmetricTreeDifferByOneLidAtMost)
{
    for (unsigned const lmc : {0U, 1U, 2U})
        for (bool const up_down : {false, true}) {
            auto in = subnet_of(topology::fat_tree{.leaves = 6, .hosts_per_leaf = 5, .spines = 4, .cables = 2}, lmc);
            if (up_down)
                (void)route_up_down(in);
            else
                route_min_hop(in);
            for (unsigned s = 0; s != in.switches.size(); ++s) {
                auto const by_peer = loads(in, s);
                if (by_peer.size() != 4)
                    continue; // a spine
                unsigned least = ~0U;
                unsigned most = 0;
                for (auto const& [peer, ports] : by_peer)
                    for (auto const& [port, count] : ports) {
                        least = std::min(least, count);
                        most = std::max(most, count);
                    }
                EXPECT_LE(most - least, 1u);
                EXPECT_GT(least, 0u);
            }
        }
}

TEST(Routes, OverCablesBetweenTheSameTwoSwitchesAreSharedEvenly)
{
    topology::fabric layout;
    auto const a = layout.add(make_switch(0x10, 20, "a"));
    auto const b = layout.add(make_switch(0x11, 20, "b"));
    for (std::uint8_t p = 1; p <= 3; ++p)
        plug(layout, {a, p}, {b, p});
    for (std::uint8_t i = 0; i != 8; ++i)
        plug(layout, {layout.add(make_ca(0x100U + i, 1, "ca")), 1}, {i < 4 ? a : b, static_cast<std::uint8_t>(4 + i)});
    for (bool const up_down : {false, true}) {
        auto in = by_hand(layout, 2);
        if (up_down)
            (void)route_up_down(in);
        else
            route_min_hop(in);
        EXPECT_EQ(cut_off(in, true), std::vector<std::string>{});
        for (unsigned s = 0; s != 2; ++s)
            for (auto const& [peer, ports] : loads(in, s)) {
                EXPECT_EQ(ports.size(), 3u);
                for (auto const& [port, count] : ports)
                    EXPECT_NEAR(count, 16.0 / 3, 1) << "4 CAs with 4 LIDs each, over three cables";
            }
    }
}

TEST(Routes, OfTwoCasBackToBackNeedNoTables)
{
    topology::fabric layout;
    auto const a = layout.add(make_ca(1, 1, "a"));
    auto const b = layout.add(make_ca(2, 1, "b"));
    plug(layout, {a, 1}, {b, 1});
    auto in = swept(layout);
    known_lids known;
    ASSERT_TRUE(assign_lids(in, known));
    ASSERT_EQ(in.ends.size(), 2u);
    route_min_hop(in);
    EXPECT_TRUE(route_up_down(in).empty());
    EXPECT_TRUE(in.tables.empty());
    EXPECT_EQ(missing_routes(in), 0u);
    EXPECT_FALSE(has_credit_loop(in));
    EXPECT_EQ(cut_off(in, true), std::vector<std::string>{});
}

TEST(Routes, OfPortsWithoutALidAreLeftOut)
{
    managed_subnet in{
        found_by_hand(topology::generate(topology::fat_tree{.leaves = 2, .hosts_per_leaf = 2, .spines = 1}).value())};
    EXPECT_FALSE(follow_tables(in, in.ends[0], in.ends[1], lid{1})) << "before there are tables";
    for (auto& end : in.ends)
        end.lmc = 3;
    for (bool const some : {false, true}) {
        if (some) {
            in.ends[1].base_lid = lid{8};
            in.index_lids();
        }
        route_min_hop(in);
        EXPECT_EQ(missing_routes(in), 0u);
        (void)route_up_down(in);
        EXPECT_EQ(missing_routes(in), 0u);
        EXPECT_FALSE(has_credit_loop(in));
    }
    EXPECT_TRUE(follow_tables(in, in.ends[0], in.ends[1], lid{15}));
}

/// Two fat trees without a cable between them, and a switch by itself, which stands first.
topology::fabric parts()
{
    topology::fabric layout;
    auto const own = layout.add(make_ca(0x1, 1, "own"));
    auto const alone = layout.add(make_switch(0x2, 2, "alone"));
    plug(layout, {own, 1}, {alone, 1});
    for (std::uint64_t part = 1; part <= 2; ++part) {
        std::vector<topology::node_index> leaves;
        for (std::uint64_t i = 0; i != 4; ++i) {
            // GUIDs that say nothing about who hangs on whom.
            leaves.push_back(layout.add(make_switch(part << 16 | ((i * 37 + 11) % 5 + 1) << 8, 8, "leaf")));
            for (std::uint8_t p = 1; p <= 2; ++p)
                plug(layout, {layout.add(make_ca(part << 16 | 0x8000 | i << 4 | p, 1, "ca")), 1}, {leaves.back(), p});
        }
        // leaf 0 - middle - leaf 1 …: a star whose middle has the greatest GUID
        auto const middle = layout.add(make_switch(part << 16 | 0x7000, 8, "middle"));
        for (std::uint8_t i = 0; i != 4; ++i)
            plug(layout, {leaves[i], 3}, {middle, static_cast<std::uint8_t>(i + 1)});
    }
    return layout;
}

TEST(Routes, InPartsThatAreCutOffLeadAsFarAsThePartGoes)
{
    auto in = by_hand(parts());
    auto const by_part = [&] {
        std::size_t pairs = 0;
        for (auto const& from : in.ends) {
            auto const hops = fewest_hops(in, from.at.node);
            for (auto const& to : in.ends) {
                bool const there = hops[to.at.node] != ~0U;
                if (!there || !in.is_switch(from.at.node) || !in.is_switch(to.at.node)) {
                    EXPECT_EQ(walk(in, from.at, to.base_lid, to.at).has_value(), there)
                        << in.name(from.at.node) << " to " << in.name(to.at.node);
                }
                pairs += there ? 1 : 0;
            }
        }
        return pairs;
    };
    route_min_hop(in);
    EXPECT_EQ(by_part(), 2u * 2 + 2 * 13 * 13);
    (void)route_up_down(in);
    (void)by_part();
    EXPECT_FALSE(has_credit_loop(in));
    // With a root in one part only.
    (void)route_up_down(in, std::vector{guid{0x1'7000}});
    (void)by_part();
    EXPECT_FALSE(has_credit_loop(in));
}

TEST(UpDown, TakesTheTopOfATreeAsRootsAndThoseThatItIsTold)
{
    auto in = subnet_of(topology::fat_tree{.leaves = 4, .hosts_per_leaf = 2, .spines = 3});
    auto roots = route_up_down(in);
    EXPECT_EQ(roots.size(), 3u);
    for (auto const root : roots)
        EXPECT_NE(in.node(in.found.fabric.find(root)).description.find("spine"), std::string::npos)
            << in.name(in.found.fabric.find(root));
    auto const leaf = in.node(in.peer(in.ends.front().at).node).node_guid;
    EXPECT_EQ(route_up_down(in, std::vector{leaf}), std::vector{leaf});
}

TEST(UpDown, DoesNotUseRootsThatLeaveACaOutOfReach)
{
    // a - b - c - d in a row: between two roots at the ends there is a valley, which nobody may cross.
    topology::fabric layout;
    std::vector<topology::node_index> row;
    for (unsigned i = 0; i != 5; ++i) {
        row.push_back(layout.add(make_switch(0x10 + i, 4, "row")));
        plug(layout, {layout.add(make_ca(0x100 + i, 1, "ca")), 1}, {row.back(), 1});
        if (i != 0)
            plug(layout, {row[i - 1], 3}, {row[i], 2});
    }
    auto in = by_hand(layout);
    auto const roots = route_up_down(in, std::vector{guid{0x10}, guid{0x14}});
    EXPECT_EQ(roots, std::vector{guid{0x12}});
    EXPECT_EQ(cut_off(in, false), std::vector<std::string>{});
}

TEST(MissingRoutes, CountsWhatIsNotThere)
{
    auto in = subnet_of(topology::fat_tree{.leaves = 2, .hosts_per_leaf = 2, .spines = 1}, 1);
    route_min_hop(in);
    ASSERT_EQ(missing_routes(in), 0u);
    in.tables[0][in.ends.front().base_lid.value()] = no_route;
    in.tables[1][in.ends.front().base_lid.value() + 1U] = no_route;
    EXPECT_EQ(missing_routes(in), 2u);
}

TEST(Routes, LeadRoundASwitchThatCannotHoldAllLids)
{
    for (bool const up_down : {false, true}) {
        auto in = subnet_of(topology::fat_tree{.leaves = 3, .hosts_per_leaf = 2, .spines = 2});
        std::optional<topology::node_index> spine;
        for (auto const index : in.switches)
            if (std::none_of(in.ends.begin(), in.ends.end(),
                    [&](auto const& end) { return !in.is_switch(end.at.node) && in.peer(end.at).node == index; }))
                spine = index;
        ASSERT_TRUE(spine);
        in.found.attributes[*spine].switch_info.linear_fdb_cap = 4;
        if (up_down)
            (void)route_up_down(in);
        else
            route_min_hop(in);
        for (auto const& from : in.ends)
            for (auto const& to : in.ends) {
                if (in.is_switch(from.at.node) || in.is_switch(to.at.node))
                    continue;
                auto const way = walk(in, from.at, to.base_lid, to.at);
                ASSERT_TRUE(way) << in.name(from.at.node) << " to " << in.name(to.at.node);
                for (auto const& left : *way)
                    EXPECT_NE(left.node, *spine);
            }
    }
}

} // namespace
} // namespace madrigal::tests
