// Sweeps of fabrics that lose packets, and of nodes that do not answer or answer wrongly.
#include "fabric/world.hpp"

#include <madrigal/topology/generators.hpp>
#include <madrigal/topology/ibnetdiscover_writer.hpp>
#include <madrigal/wire/attribute_id.hpp>
#include <madrigal/wire/status.hpp>

#include <algorithm>
#include <chrono>
#include <set>

namespace madrigal::tests {
namespace {

using namespace std::chrono_literals;

topology::fabric small_tree()
{
    return topology::generate(topology::fat_tree{8, 4, 4, 1}).value();
}

/// Everything in the layout is found or named: a node that is not there hides behind a port that is listed, or behind
/// another such node.
void expect_found_or_named(topology::fabric const& layout, discovery const& found)
{
    std::set<std::pair<std::uint64_t, unsigned>> named;
    for (auto const& one : found.problems)
        named.emplace(one.node.value(), one.port);
    for (auto const& node : found.fabric.nodes()) {
        auto const original = layout.find(node.node_guid);
        ASSERT_NE(original, topology::no_node) << "a node that does not exist";
        for (unsigned p = 1; p <= node.port_count(); ++p) {
            auto const peer = layout.at(original).external_port(p).peer;
            auto const seen = node.external_port(p).peer;
            if (peer && !seen) {
                auto const peer_guid = layout.at(peer.node).node_guid.value();
                EXPECT_TRUE(named.contains({node.node_guid.value(), p}) || named.contains({peer_guid, peer.port}) ||
                            node.type == node_type::ca)
                    << "the cable at port " << p << " of " << node.id << " is missing and not named";
            }
            if (seen) {
                EXPECT_EQ(found.fabric.at(seen.node).node_guid, layout.at(peer.node).node_guid);
                EXPECT_EQ(seen.port, peer.port);
            }
        }
    }
}

TEST(DiscoverWithLoss, FindsTheWholeFabricOrNamesWhatIsMissing)
{
    auto const layout = small_tree();
    auto const whole = write_ibnetdiscover(world{layout}.sweep().value().fabric);
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
        for (unsigned const outstanding : {1U, 64U}) {
            sim::fabric_options options;
            options.seed = seed;
            options.faults.loss = 0.02;
            world around{layout, options};
            discover_options how;
            how.outstanding = outstanding;
            how.timeout = 20ms;
            auto const found = around.sweep(how);
            ASSERT_TRUE(found) << "seed " << seed << ": " << found.error().message();
            if (found.value().complete()) {
                EXPECT_EQ(write_ibnetdiscover(found.value().fabric), whole) << "seed " << seed;
            } else {
                expect_found_or_named(layout, found.value());
            }
            // Three attempts of three transmissions each: with eight traversals of 2 % one SMP in a million is lost.
            EXPECT_TRUE(found.value().complete()) << "seed " << seed << '\n' << listed(found.value().problems);
            EXPECT_GT(around.on().counters().drops(sim::drop_reason::loss), 0U);
        }
}

TEST(DiscoverWithLoss, NamesWhatIsMissingWhereAThirdOfAllTraversalsIsLost)
{
    auto const layout = small_tree();
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        sim::fabric_options options;
        options.seed = seed;
        options.faults.loss = 0.3;
        world around{layout, options};
        discover_options how;
        how.timeout = 20ms;
        auto const found = around.sweep(how);
        ASSERT_TRUE(found) << "seed " << seed << ": " << found.error().message();
        EXPECT_FALSE(found.value().complete()) << "seed " << seed;
        EXPECT_EQ(found.value().check(), errc::incomplete_sweep);
        EXPECT_FALSE(found.value().problems.empty());
        expect_found_or_named(layout, found.value());
        EXPECT_GT(found.value().statistics.asked_again, 0U);
    }
}

TEST(DiscoverWithLoss, SurvivesDuplicatesAndReordering)
{
    auto const layout = small_tree();
    sim::fabric_options options;
    options.faults.duplicate = 0.2;
    options.faults.jitter = 2ms;
    world around{layout, options};
    auto const found = around.sweep().value();
    EXPECT_TRUE(found.problems.empty()) << listed(found.problems);
    expect_same(layout, found.fabric);
}

/// A thousand nodes of which ten hosts are dead, and an hour's worth of clocks to compare.
TEST(DiscoverWithDeadNodes, TakesOnePeriodOfTimeoutsLongerHoweverManyAreDead)
{
    auto const layout = topology::generate(topology::fat_tree{40, 23, 40, 1}).value();
    ASSERT_EQ(layout.size(), 1000U);
    sim::fabric_options options;
    options.faults.hop_latency = 1us;
    options.faults.service_time = 20us;
    auto const healthy = world{layout, options}.sweep().value().statistics.elapsed;

    world around{layout, options};
    discover_options how;
    how.timeout = 50ms;
    how.retries = 1;
    how.attempts = 2;
    std::vector<topology::node_index> dead;
    for (topology::node_index i = 1; i != layout.size() && dead.size() != 10; ++i)
        if (layout.at(i).type == node_type::ca && i % 7 == 0)
            dead.push_back(i);
    ASSERT_EQ(dead.size(), 10U);
    for (auto const node : dead) {
        sim::fault_rule rule;
        rule.node = node;
        (void)around.on().add_rule(rule);
    }
    auto const found = around.sweep(how).value();
    auto const period = how.timeout * (1 + how.retries) * how.attempts;
    EXPECT_LE(found.statistics.elapsed, (healthy + period) * 6 / 5);
    EXPECT_EQ(found.fabric.size(), 990U);
    ASSERT_EQ(found.problems.size(), 10U) << listed(found.problems);
    std::set<std::uint64_t> behind;
    for (auto const& one : found.problems) {
        EXPECT_EQ(one.kind, problem_kind::no_answer_behind);
        EXPECT_TRUE(one.missing);
        EXPECT_EQ(one.code, errc::timeout);
        auto const at = layout.at(layout.find(one.node)).external_port(one.port).peer;
        behind.insert(at.node);
    }
    EXPECT_EQ(behind, (std::set<std::uint64_t>{dead.begin(), dead.end()}));
    EXPECT_EQ(found.statistics.timeouts, 20U);
}

/// Each attribute in turn, of one switch.
class DiscoverWithRefusals : public testing::TestWithParam<std::uint16_t> {};

TEST_P(DiscoverWithRefusals, KeepsANodeThatAnswersWithAnError)
{
    auto const layout = small_tree();
    topology::node_index victim = 0;
    while (layout.at(victim).type != node_type::switch_)
        ++victim;
    world around{layout};
    sim::fault_rule rule;
    rule.node = victim;
    rule.attribute = GetParam();
    rule.action = sim::fault_action::status;
    rule.status = mad_status::unsupported_method_attribute;
    (void)around.on().add_rule(rule);
    auto const found = around.sweep().value();
    EXPECT_FALSE(found.complete());
    auto const has_answer = GetParam() != attribute_id::node_info;
    EXPECT_EQ(found.fabric.find(layout.at(victim).node_guid) != topology::no_node, has_answer);
    for (auto const& one : found.problems) {
        EXPECT_EQ(one.attribute, GetParam()) << to_string(one);
        EXPECT_EQ(mad_status_of(one.code), mad_status::unsupported_method_attribute);
        if (has_answer) {
            EXPECT_EQ(one.node, layout.at(victim).node_guid) << to_string(one);
        }
    }
    // It says so at once: asking again is no use.
    EXPECT_EQ(found.statistics.asked_again, 0U);
    EXPECT_EQ(found.statistics.refused, found.problems.size());
    expect_found_or_named(layout, found);
}

INSTANTIATE_TEST_SUITE_P(EachAttribute, DiscoverWithRefusals,
    testing::Values(
        attribute_id::node_info, attribute_id::node_description, attribute_id::switch_info, attribute_id::port_info),
    [](auto const& each) { return attribute_name(management_class::subnet_directed_route, each.param); });

TEST(DiscoverWithFaults, AsksABusyNodeAgain)
{
    auto const layout = small_tree();
    world around{layout};
    sim::fault_rule rule;
    rule.attribute = attribute_id::port_info;
    rule.action = sim::fault_action::status;
    rule.status = mad_status::busy;
    rule.count = 40;
    (void)around.on().add_rule(rule);
    discover_options how;
    how.attempts = 50;
    auto const found = around.sweep(how).value();
    EXPECT_TRUE(found.problems.empty()) << listed(found.problems);
    EXPECT_EQ(found.statistics.asked_again, 40U);
    expect_same(layout, found.fabric);
}

TEST(DiscoverWithFaults, SaysThatTheLocalNodeDoesNotAnswer)
{
    world around{small_tree()};
    sim::fault_rule rule;
    rule.node = around.layout().find(*around.layout().initiated_from_node);
    (void)around.on().add_rule(rule);
    auto const found = around.sweep();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error(), errc::timeout);
    EXPECT_THAT(found.error().message(), testing::HasSubstr("NodeInfo"));
    EXPECT_THAT(found.error().message(), testing::HasSubstr("M_Key"));
}

TEST(DiscoverWithFaults, EndsWithDeviceGoneWhenTheAdapterIsPulledOut)
{
    world around{small_tree(), [] {
                     sim::fabric_options options;
                     options.faults.hop_latency = 100us;
                     return options;
                 }()};
    auto const sweep = around.start(discover(around.local()));
    for (unsigned i = 0; i != 40; ++i)
        (void)around.step();
    ASSERT_FALSE(sweep->ended);
    (void)around.on().unplug(around.layout().find(*around.layout().initiated_from_node));
    for (unsigned i = 0; i != 100'000 && !sweep->ended; ++i)
        (void)around.step();
    ASSERT_TRUE(sweep->ended && sweep->outcome);
    EXPECT_EQ(sweep->outcome->error(), errc::device_gone);
}

TEST(DiscoverWithFaults, NeverBelievesCorruptedAnswersWithoutEnd)
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        sim::fabric_options options;
        options.seed = seed;
        world around{topology::generate(topology::torus{{3, 3}, 1}).value(), options};
        sim::fault_rule rule;
        rule.action = sim::fault_action::corrupt;
        rule.probability = 0.2;
        (void)around.on().add_rule(rule);
        discover_options how;
        how.max_nodes = 100;
        auto const found = around.sweep(how);
        // Nothing is promised about the content; it ends, and what it holds can be printed and read.
        if (found) {
            EXPECT_LE(found.value().fabric.size(), how.max_nodes);
            EXPECT_TRUE(topology::differences(found.value().fabric, found.value().fabric).empty());
        }
    }
}

} // namespace
} // namespace madrigal::tests
