// Fabrics whose GUIDs are not what they should be, and cables that move under the sweep.
#include "fabric/world.hpp"

#include <madrigal/topology/generators.hpp>
#include <madrigal/wire/attribute_id.hpp>

#include <algorithm>
#include <chrono>

namespace madrigal::tests {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> descriptions(topology::fabric const& of)
{
    std::vector<std::string> all;
    for (auto const& node : of.nodes())
        all.push_back(node.description);
    return all;
}

std::vector<sweep_problem> of_kind(discovery const& found, problem_kind kind)
{
    std::vector<sweep_problem> some;
    for (auto const& one : found.problems)
        if (one.kind == kind)
            some.push_back(one);
    return some;
}

std::string cable(topology::fabric const& in, std::string const& node, unsigned port)
{
    for (auto const& one : in.nodes())
        if (one.description == node) {
            auto const peer = one.external_port(port).peer;
            return peer ? in.at(peer.node).description + ":" + std::to_string(peer.port) : "";
        }
    return "no such node";
}

TEST(DiscoverWithDuplicateGuids, KeepsBothCasAndTellsBothRoutes)
{
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    auto const a = layout.add(make_switch(0x10, 4, "a"));
    plug(layout, {host, 1}, {a, 1});
    plug(layout, {layout.add(make_ca(0x2, 1, "twin one")), 1}, {a, 2});
    plug(layout, {layout.add(make_ca(0x2, 1, "twin two")), 1}, {a, 4});
    for (unsigned const outstanding : {1U, 64U}) {
        world around{layout};
        discover_options how;
        how.outstanding = outstanding;
        auto const found = around.sweep(how).value();
        EXPECT_THAT(descriptions(found.fabric), testing::ElementsAre("host", "a", "twin one", "twin two"));
        EXPECT_EQ(cable(found.fabric, "twin one", 1), "a:2");
        EXPECT_EQ(cable(found.fabric, "twin two", 1), "a:4");
        EXPECT_TRUE(found.complete()) << listed(found.problems);
        auto const twins = of_kind(found, problem_kind::duplicate_guid);
        ASSERT_EQ(twins.size(), 1U);
        EXPECT_EQ(twins[0].node, guid{0x2});
        ASSERT_EQ(twins[0].routes.size(), 2U);
        EXPECT_EQ(to_string(twins[0].routes[0]), "0,1,2");
        EXPECT_EQ(to_string(twins[0].routes[1]), "0,1,4");
        EXPECT_THAT(to_string(twins[0]), testing::HasSubstr("0,1,2 and 0,1,4"));
        // Both were asked a second time before they were called duplicates.
        EXPECT_GE(found.statistics.questions, 2U * 1U + 2U);
    }
}

/// Two switches with one GUID, whose ports in use overlap, or do not.
class DiscoverWithTwinSwitches : public testing::TestWithParam<bool> {};

TEST_P(DiscoverWithTwinSwitches, SweepsBehindBothOfThem)
{
    unsigned const shift = GetParam() ? 0 : 4;
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    auto const root = layout.add(make_switch(0x10, 8, "root"));
    plug(layout, {host, 1}, {root, 8});
    auto const first = layout.add(make_switch(0x99, 8, "twin one"));
    auto const second = layout.add(make_switch(0x99, 8, "twin two"));
    plug(layout, {root, 1}, {first, 1});
    plug(layout, {root, 2}, {first, 2});
    plug(layout, {root, 3}, {second, static_cast<std::uint8_t>(1 + shift)});
    plug(layout, {root, 4}, {second, static_cast<std::uint8_t>(2 + shift)});
    plug(layout, {layout.add(make_ca(0x21, 1, "below one")), 1}, {first, 3});
    plug(layout, {layout.add(make_ca(0x22, 1, "below two")), 1}, {second, static_cast<std::uint8_t>(3 + shift)});
    for (unsigned const outstanding : {1U, 64U}) {
        world around{layout};
        discover_options how;
        how.outstanding = outstanding;
        auto const found = around.sweep(how).value();
        EXPECT_THAT(descriptions(found.fabric),
            testing::ElementsAre("host", "root", "twin one", "twin two", "below one", "below two"));
        expect_same(layout, found.fabric);
        EXPECT_TRUE(found.complete()) << listed(found.problems);
        auto const twins = of_kind(found, problem_kind::duplicate_guid);
        ASSERT_EQ(twins.size(), 1U);
        ASSERT_EQ(twins[0].routes.size(), 2U);
        EXPECT_EQ(to_string(twins[0].routes[0]), "0,1,1");
        EXPECT_EQ(to_string(twins[0].routes[1]), "0,1,3");
    }
}

INSTANTIATE_TEST_SUITE_P(PortsInUse, DiscoverWithTwinSwitches, testing::Bool(),
    [](auto const& each) { return each.param ? "Overlap" : "DoNotOverlap"; });

TEST(DiscoverWithDuplicateGuids, EndsWhereEveryNodeHasTheSameGuid)
{
    // The worst there can be: nothing can be told apart but by its ports.
    auto layout = topology::generate(topology::torus{{3, 3}, 1}).value();
    for (topology::node_index i = 0; i != layout.size(); ++i)
        layout.at(i).node_guid = guid{0x5};
    topology::fabric same;
    for (auto node : layout.nodes()) {
        for (auto& port : node.ports)
            port.peer = {};
        (void)same.add(std::move(node));
    }
    for (topology::node_index i = 0; i != layout.size(); ++i)
        for (unsigned p = 1; p <= layout.at(i).port_count(); ++p)
            if (auto const peer = layout.at(i).external_port(p).peer)
                (void)same.connect({i, static_cast<std::uint8_t>(p)}, peer);
    world around{same};
    auto const found = around.sweep().value();
    EXPECT_FALSE(found.problems.empty());
    EXPECT_GE(found.fabric.size(), 2U);
}

TEST(DiscoverWithZeroGuids, KeepsThemApartAndSaysSo)
{
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    auto const a = layout.add(make_switch(0x10, 8, "a"));
    plug(layout, {host, 1}, {a, 1});
    plug(layout, {layout.add(make_ca(0, 1, "none one")), 1}, {a, 2});
    plug(layout, {layout.add(make_ca(0, 1, "none two")), 1}, {a, 3});
    auto const blank = layout.add(make_switch(0, 4, "blank"));
    plug(layout, {a, 4}, {blank, 1});
    plug(layout, {a, 5}, {blank, 2});
    plug(layout, {layout.add(make_ca(0x3, 1, "below")), 1}, {blank, 4});
    world around{layout};
    auto const found = around.sweep().value();
    EXPECT_THAT(
        descriptions(found.fabric), testing::ElementsAre("host", "a", "none one", "none two", "blank", "below"));
    EXPECT_EQ(cable(found.fabric, "blank", 1), "a:4");
    EXPECT_EQ(cable(found.fabric, "blank", 2), "a:5");
    EXPECT_EQ(cable(found.fabric, "blank", 4), "below:1");
    EXPECT_EQ(of_kind(found, problem_kind::zero_guid).size(), 3U);
    EXPECT_TRUE(found.complete());
}

TEST(DiscoverWhileCablesMove, NeverCallsAMovedNodeADuplicateNorLosesItSilently)
{
    // At each step of the sweep once, a cable is pulled out or plugged in.
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    auto const a = layout.add(make_switch(0x10, 4, "a"));
    auto const b = layout.add(make_switch(0x11, 4, "b"));
    auto const moving = layout.add(make_ca(0x2, 2, "moving"));
    plug(layout, {host, 1}, {a, 1});
    plug(layout, {a, 2}, {b, 1});
    plug(layout, {a, 3}, {moving, 1});
    plug(layout, {b, 3}, {moving, 2});
    for (unsigned at = 0; at < 320; at += 3) {
        bool const pulled = at % 2 == 0; // or plugged in
        sim::fabric_options options;
        options.faults.hop_latency = 5us;
        world around{layout, options};
        if (!pulled)
            (void)around.on().set_link({a, 3}, false);
        discover_options how;
        how.timeout = 5ms;
        how.retries = 0;
        how.attempts = 2;
        how.time = &around.time();
        auto const sweep = around.start(discover(around.local(), how));
        for (unsigned i = 0; i != at / 2 && !sweep->ended; ++i)
            (void)around.step();
        (void)around.on().set_link({a, 3}, !pulled);
        while (!sweep->ended)
            ASSERT_TRUE(around.step());
        ASSERT_TRUE(sweep->outcome && *sweep->outcome);
        auto const& found = sweep->outcome->value();
        EXPECT_TRUE(of_kind(found, problem_kind::duplicate_guid).empty()) << listed(found.problems);
        EXPECT_NE(found.fabric.find(guid{0x2}), topology::no_node) << at;
    }
}

TEST(DiscoverWhileNodesRestart, NeverTakesASwitchThatRestartsForTwo)
{
    // At each step of the sweep once, a switch is off for a while that the sweep hardly notices, or that it does.
    auto const layout = topology::generate(topology::fat_tree{.leaves = 3, .hosts_per_leaf = 2, .spines = 2}).value();
    auto const switches = static_cast<std::size_t>(std::count_if(layout.nodes().begin(), layout.nodes().end(),
        [](auto const& node) { return node.type == node_type::switch_; }));
    ASSERT_EQ(switches, 5U);
    for (auto const off_for : {5us, 60us, 200us, 1'000us, 9'000us})
        for (unsigned at = 0; at < 300; at += 7)
            for (topology::node_index node = 0; node != layout.size(); ++node) {
                if (layout.at(node).type != node_type::switch_)
                    continue;
                sim::fabric_options options;
                options.faults.hop_latency = 5us;
                options.faults.service_time = 20us;
                world around{layout, options};
                discover_options how;
                how.timeout = 5ms;
                how.retries = 1;
                how.attempts = 2;
                how.time = &around.time();
                auto const sweep = around.start(discover(around.local(), how));
                for (unsigned i = 0; i != at && !sweep->ended; ++i)
                    (void)around.step();
                ASSERT_FALSE(around.on().set_power(node, false).code());
                auto const back =
                    around.time().make_alarm([&] { ASSERT_FALSE(around.on().set_power(node, true).code()); });
                back->arm(around.time().now() + off_for);
                while (!sweep->ended)
                    ASSERT_TRUE(around.step());
                ASSERT_TRUE(sweep->outcome && *sweep->outcome);
                auto const& found = sweep->outcome->value();
                EXPECT_TRUE(of_kind(found, problem_kind::duplicate_guid).empty())
                    << at << ' ' << layout.at(node).description << '\n'
                    << listed(found.problems);
                EXPECT_LE(found.fabric.size(), layout.size());
            }
}

} // namespace
} // namespace madrigal::tests
