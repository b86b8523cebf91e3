// What a sweep of a healthy fabric finds, and how it asks.
#include "fabric/world.hpp"

#include <madrigal/topology/generators.hpp>
#include <madrigal/topology/ibnetdiscover_writer.hpp>
#include <madrigal/topology/json.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

namespace madrigal::tests {
namespace {

using namespace std::chrono_literals;

/// A CA, a chain of switches, and a CA: `switches` links between switches and one more at each end.
topology::fabric chain(unsigned switches, unsigned ports = 2)
{
    topology::fabric made;
    auto const first = made.add(make_ca(0x100, 1, "first"));
    auto previous = topology::endpoint{first, 1};
    for (unsigned i = 0; i != switches; ++i) {
        auto const next = made.add(make_switch(0x1000 + i, ports, "switch " + std::to_string(i)));
        plug(made, previous, {next, 1});
        previous = {next, 2};
    }
    plug(made, previous, {made.add(make_ca(0x200, 1, "last")), 1});
    return made;
}

TEST(Discover, FindsAFatTreeOf702NodesWithItsPortsAndCables)
{
    auto const layout = topology::generate(topology::fat_tree{}).value();
    world around{layout};
    auto const found = around.sweep();
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_TRUE(found.value().complete()) << listed(found.value().problems);
    EXPECT_TRUE(found.value().problems.empty());
    expect_same(layout, found.value().fabric, {.identifiers = true});
    EXPECT_EQ(found.value().fabric.size(), 702U);
    EXPECT_EQ(found.value().fabric.initiated_from_node, layout.initiated_from_node);
}

TEST(Discover, FindsTheShapesThatTheGeneratorsMake)
{
    std::array const layouts{topology::generate(topology::torus{{4, 4, 4}, 1}).value(),
        topology::generate(topology::torus{{2, 3}, 2}).value(), topology::generate(topology::dragonfly{}).value(),
        topology::generate(topology::three_level_fat_tree{}).value(),
        topology::generate(topology::random_graph{}).value()};
    for (auto const& layout : layouts) {
        world around{layout};
        auto const found = around.sweep();
        ASSERT_TRUE(found) << found.error().message();
        EXPECT_TRUE(found.value().problems.empty()) << listed(found.value().problems);
        expect_same(layout, found.value().fabric, {.identifiers = true});
    }
}

TEST(Discover, GivesTheSameInTheSameOrderHoweverManyAreAskedAtATime)
{
    for (auto const jitter : {0us, 50us}) {
        std::string first;
        std::uint64_t questions = 0;
        for (unsigned const outstanding : {1U, 2U, 7U, 64U, 1000U}) {
            sim::fabric_options options;
            options.faults.hop_latency = 1us;
            options.faults.jitter = jitter;
            world around{topology::generate(topology::torus{{5, 5}, 2}).value(), options};
            discover_options how;
            how.outstanding = outstanding;
            auto const found = around.sweep(how);
            ASSERT_TRUE(found) << found.error().message();
            std::string text = write_ibnetdiscover(found.value().fabric) + write_json(found.value().fabric);
            for (auto const& route : found.value().routes)
                text += to_string(route) + '\n';
            if (first.empty()) {
                first = text;
                questions = found.value().statistics.questions;
            }
            EXPECT_EQ(text, first) << outstanding;
            EXPECT_EQ(found.value().statistics.questions, questions) << outstanding;
        }
    }
}

TEST(Discover, ListsNodesBreadthFirstByTheLowestPortWithTheShortestRoutes)
{
    // A ring of five switches: the two farthest are two hops from the first one, on different sides.
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    for (unsigned i = 0; i != 5; ++i)
        (void)layout.add(make_switch(0x10 + i, 4, "ring " + std::to_string(i)));
    plug(layout, {host, 1}, {1, 4});
    for (topology::node_index i = 0; i != 5; ++i)
        plug(layout, {1 + i, 2}, {1 + (i + 1) % 5, 1});
    world around{layout};
    auto const found = around.sweep().value();
    std::vector<std::string> order;
    for (std::size_t i = 0; i != found.routes.size(); ++i)
        order.push_back(
            found.fabric.at(static_cast<topology::node_index>(i)).description + " " + to_string(found.routes[i]));
    EXPECT_THAT(order, testing::ElementsAre(
                           "host 0", "ring 0 0,1", "ring 4 0,1,1", "ring 1 0,1,2", "ring 3 0,1,1,1", "ring 2 0,1,2,2"));
    EXPECT_THAT(found.entry_ports, testing::ElementsAre(1, 4, 2, 1, 2, 1));
}

TEST(Discover, AsksEachNodeAndEachPortOnce)
{
    auto const layout = chain(3, 5);
    world around{layout};
    auto const found = around.sweep().value();
    // NodeInfo of the local node and from both ends of the links of switches, except back from the last CA.
    auto const node_infos = 1U + 1U + 2U * 2U + 2U;
    auto const descriptions = 5U;
    auto const switch_infos = 3U;
    auto const port_infos = 2U + 3U * (5U + 1U);
    EXPECT_EQ(found.statistics.questions, node_infos + descriptions + switch_infos + port_infos);
    EXPECT_EQ(found.statistics.smps_sent, found.statistics.questions);
    EXPECT_EQ(found.statistics.answers, found.statistics.questions);
    EXPECT_EQ(found.statistics.timeouts, 0U);
    EXPECT_EQ(found.statistics.asked_again, 0U);
    EXPECT_EQ(around.on().counters().retransmitted, 0U);
    EXPECT_EQ(around.on().counters().answered, found.statistics.questions);
}

TEST(Discover, TellsParallelCablesAndCablesFromASwitchToItselfApart)
{
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    auto const a = layout.add(make_switch(0x10, 8, "a"));
    auto const b = layout.add(make_switch(0x11, 8, "b"));
    plug(layout, {host, 1}, {a, 8});
    plug(layout, {a, 1}, {b, 2});
    plug(layout, {a, 2}, {b, 1});
    plug(layout, {a, 3}, {b, 3});
    plug(layout, {a, 4}, {a, 6});
    plug(layout, {b, 7}, {b, 4});
    ASSERT_TRUE(layout.connect({b, 8}, {b, 8})); // a loopback plug
    layout.at(b).external_port(8).width = link_width::x4;
    layout.at(b).external_port(8).speed = link_speed::hdr;
    world around{layout};
    auto const found = around.sweep().value();
    EXPECT_TRUE(found.problems.empty()) << listed(found.problems);
    expect_same(layout, found.fabric);
}

TEST(Discover, ReachesAllPortsOfCasAndRoutersBySeveralRoutes)
{
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 2, "host"));
    auto const a = layout.add(make_switch(0x10, 8, "a"));
    auto const b = layout.add(make_switch(0x11, 8, "b"));
    auto both = make_ca(0x2, 2, "both");
    both.ports[0].port_guid = guid{0x20};
    both.ports[1].port_guid = guid{0x21};
    auto const dual = layout.add(both);
    auto gate = make_ca(0x3, 3, "gate");
    gate.type = node_type::router;
    gate.id = topology::canonical_id(node_type::router, guid{0x3});
    auto const router = layout.add(gate);
    plug(layout, {host, 1}, {a, 1});
    plug(layout, {host, 2}, {b, 1}); // the host's other port, reached through the fabric
    plug(layout, {a, 2}, {b, 2});
    plug(layout, {dual, 1}, {a, 3});
    plug(layout, {dual, 2}, {b, 3});
    plug(layout, {router, 1}, {a, 4});
    plug(layout, {router, 3}, {b, 4});
    sim::fabric_options options;
    options.start = sim::start_state::configured;
    world around{layout, options};
    auto const found = around.sweep().value();
    EXPECT_TRUE(found.problems.empty()) << listed(found.problems);
    expect_same(layout, found.fabric, {.identifiers = true});
    EXPECT_EQ(found.fabric.counts().routers, 1U);
    auto const& seen = found.fabric.at(found.fabric.find(guid{0x2}));
    EXPECT_NE(seen.ports[0].base_lid, seen.ports[1].base_lid);
    EXPECT_TRUE(seen.ports[0].base_lid && seen.ports[1].base_lid);
    EXPECT_NE(write_ibnetdiscover(found.fabric).find("Rt\t3 \"R-0000000000000003\""), std::string::npos);
}

TEST(Discover, StartsAtACaThatIsCabledByItsSecondPortAlone)
{
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 2, "host"));
    auto const a = layout.add(make_switch(0x10, 4, "a"));
    auto const other = layout.add(make_ca(0x2, 2, "other"));
    plug(layout, {host, 2}, {a, 3});
    plug(layout, {other, 2}, {a, 1});
    world around{layout, {}, "0x0000000000000001", 2};
    auto const found = around.sweep().value();
    expect_same(layout, found.fabric);
    EXPECT_EQ(found.entry_ports.front(), 2);

    world down{layout, {}, "0x0000000000000001", 1};
    auto const alone = down.sweep().value();
    EXPECT_TRUE(alone.complete());
    EXPECT_EQ(alone.fabric.size(), 1U);
}

TEST(Discover, StartsAtASwitchWhateverStateItsBasePort0Shows)
{
    for (auto const state : {port_state::down, port_state::init, port_state::active}) {
        auto const layout = chain(4, 6);
        sim::fabric_options options;
        options.base_port0_state = state;
        world around{layout, options, "0x0000000000001002"};
        auto const found = around.sweep().value();
        EXPECT_TRUE(found.problems.empty()) << listed(found.problems);
        expect_same(layout, found.fabric);
        EXPECT_EQ(found.fabric.at(0).node_guid, guid{0x1002});
        EXPECT_EQ(found.entry_ports.front(), 0);
    }
}

TEST(Discover, HandlesSwitchesOfAsManyPortsAsThereCanBe)
{
    for (unsigned const ports : {127U, 128U, 129U, 254U}) {
        topology::fabric layout;
        auto const host = layout.add(make_ca(0x1, 1, "host"));
        auto const a = layout.add(make_switch(0x10, ports, "a"));
        auto const b = layout.add(make_switch(0x11, ports, "b"));
        auto const c = layout.add(make_ca(0x2, 1, "c"));
        plug(layout, {host, 1}, {a, 1});
        plug(layout, {a, static_cast<std::uint8_t>(ports)}, {b, static_cast<std::uint8_t>(ports - 1)});
        plug(layout, {b, static_cast<std::uint8_t>(ports)}, {c, 1});
        world around{layout};
        auto const found = around.sweep().value();
        EXPECT_TRUE(found.problems.empty()) << listed(found.problems);
        expect_same(layout, found.fabric);
        EXPECT_EQ(to_string(found.routes.back()), "0,1," + std::to_string(ports) + "," + std::to_string(ports));
    }
}

TEST(Discover, FindsExactlyTheNodesWithinALimitOfHops)
{
    auto const layout = topology::generate(topology::torus{{6, 6}, 1}).value();
    auto const whole = world{layout}.sweep().value();
    for (auto const jitter : {0us, 100us})
        for (unsigned limit = 0; limit != 9; ++limit) {
            std::set<std::uint64_t> near;
            for (std::size_t i = 0; i != whole.routes.size(); ++i)
                if (whole.routes[i].hops() <= limit)
                    near.insert(whole.fabric.at(static_cast<topology::node_index>(i)).node_guid.value());
            sim::fabric_options options;
            options.faults.jitter = jitter; // so that longer ways are often found first
            world around{layout, options};
            discover_options how;
            how.max_hops = limit;
            auto const found = around.sweep(how).value();
            std::set<std::uint64_t> seen;
            for (auto const& node : found.fabric.nodes())
                seen.insert(node.node_guid.value());
            EXPECT_EQ(seen, near) << limit;
            EXPECT_TRUE(found.complete()) << listed(found.problems);
        }
}

TEST(Discover, NamesThePortThatADirectedRouteCannotReach)
{
    // 62 switches: the last CA is 63 hops away. One more: it is out of reach.
    EXPECT_EQ(world{chain(62)}.sweep().value().fabric.size(), 64U);
    auto const layout = chain(63);
    auto const found = world{layout}.sweep().value();
    EXPECT_EQ(found.fabric.size(), 64U);
    EXPECT_FALSE(found.complete());
    ASSERT_EQ(found.problems.size(), 1U) << listed(found.problems);
    EXPECT_EQ(found.problems[0].kind, problem_kind::too_far);
    EXPECT_EQ(found.problems[0].port, 2);
    EXPECT_EQ(found.problems[0].description, "switch 62");
    EXPECT_EQ(found.problems[0].route.hops(), 63U);
}

TEST(Discover, ReachesFarNodesByTheShorterWayThoughTheLongerIsFoundFirst)
{
    // A ring of 120 switches: nowhere more than 60 hops away, yet the way around is longer than a route can be.
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    unsigned const switches = 120;
    for (unsigned i = 0; i != switches; ++i)
        (void)layout.add(make_switch(0x1000 + i, 3, "ring"));
    plug(layout, {host, 1}, {1, 3});
    for (topology::node_index i = 0; i != switches; ++i)
        plug(layout, {1 + i, 2}, {1 + (i + 1) % switches, 1});
    sim::fabric_options options;
    options.faults.jitter = 500us;
    world around{layout, options};
    auto const found = around.sweep().value();
    EXPECT_TRUE(found.problems.empty()) << listed(found.problems);
    expect_same(layout, found.fabric);
}

TEST(Discover, ReadsEverySpeedAndWidthAtBothKindsOfPort)
{
    for (auto const speed : {link_speed::sdr, link_speed::ddr, link_speed::qdr, link_speed::fdr10, link_speed::fdr,
             link_speed::edr, link_speed::hdr, link_speed::ndr, link_speed::xdr})
        for (auto const width : {link_width::x1, link_width::x2, link_width::x4, link_width::x8, link_width::x12}) {
            auto layout = chain(2);
            for (topology::node_index i = 0; i != layout.size(); ++i) {
                layout.at(i).vendor_id = 0x2C9;
                for (auto& port : layout.at(i).ports) {
                    port.speed = speed;
                    port.width = width;
                }
            }
            world around{layout};
            auto const found = around.sweep().value();
            EXPECT_TRUE(found.problems.empty()) << listed(found.problems);
            expect_same(layout, found.fabric);
        }
}

TEST(Discover, AsksForFdr10OnlyWhereItMayBeAndTakesNoForAnAnswer)
{
    auto const questions = [](link_speed speed, std::uint32_t vendor) {
        auto layout = chain(2);
        for (topology::node_index i = 0; i != layout.size(); ++i) {
            layout.at(i).vendor_id = vendor;
            for (auto& port : layout.at(i).ports)
                port.speed = speed;
        }
        auto const found = world{layout}.sweep().value();
        EXPECT_TRUE(found.problems.empty()) << listed(found.problems);
        expect_same(layout, found.fabric);
        return found.statistics;
    };
    auto const plain = questions(link_speed::hdr, 0x2C9).questions;
    EXPECT_EQ(questions(link_speed::fdr10, 0x2C9).questions, plain + 6);
    EXPECT_EQ(questions(link_speed::qdr, 0x8F1).questions, plain);
    // A node without the attribute says so.
    auto const refused = questions(link_speed::qdr, 0);
    EXPECT_GE(refused.questions, plain + 4);
    EXPECT_EQ(refused.refused, refused.questions - plain);
}

TEST(Discover, KeepsNoLidThatAddressesNoPort)
{
    world around{chain(2)};
    auto const found = around.sweep().value();
    for (auto const& node : found.fabric.nodes()) {
        EXPECT_FALSE(node.base_lid);
        for (auto const& port : node.ports)
            EXPECT_FALSE(port.base_lid);
    }
}

TEST(Discover, NeverHasMoreOnTheWayToOneNodeThanTheLimit)
{
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    plug(layout, {host, 1}, {layout.add(make_switch(0x10, 40, "a")), 1});
    sim::fabric_options options;
    // A node loses what does not fit into a queue this long: with at most four at a time nothing is lost.
    options.faults.queue_limit = 4;
    options.faults.service_time = 10us;
    options.faults.hop_latency = 1us;
    for (unsigned const limit : {1U, 4U}) {
        world around{layout, options};
        discover_options how;
        how.per_destination = limit;
        auto const found = around.sweep(how).value();
        EXPECT_TRUE(found.complete());
        EXPECT_EQ(around.on().counters().drops(sim::drop_reason::queue_full), 0U);
        EXPECT_EQ(found.statistics.timeouts, 0U);
    }
    world around{layout, options};
    discover_options how;
    how.per_destination = 0;
    (void)around.sweep(how);
    EXPECT_GT(around.on().counters().drops(sim::drop_reason::queue_full), 0U);
}

TEST(Discover, TellsHowFarItHasCome)
{
    world around{topology::generate(topology::fat_tree{6, 3, 3, 1}).value()};
    std::vector<discover_progress> seen;
    discover_options how;
    how.on_progress = [&](discover_progress const& now) { seen.push_back(now); };
    auto const found = around.sweep(how).value();
    ASSERT_GE(seen.size(), found.fabric.size());
    EXPECT_EQ(seen.back().nodes, found.fabric.size());
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end(), [](auto const& a, auto const& b) { return a.smps < b.smps; }));
    EXPECT_LE(seen.back().links, found.fabric.counts().links);
}

TEST(Discover, CanBeCancelledAtAnyTime)
{
    // After each number of steps, from the first to beyond the last.
    for (unsigned steps = 0; steps < 120; steps += 3) {
        sim::fabric_options options;
        options.faults.hop_latency = 3us;
        world around{topology::generate(topology::torus{{3, 3}, 1}).value(), options};
        asio::cancellation_signal stop;
        auto const sweep = around.start(discover(around.local()), stop.slot());
        for (unsigned i = 0; i != steps && !sweep->ended; ++i)
            (void)around.step();
        bool const early = !sweep->ended;
        stop.emit(asio::cancellation_type::terminal);
        for (unsigned i = 0; i != 100'000 && !sweep->ended; ++i)
            (void)around.step();
        ASSERT_TRUE(sweep->ended) << steps;
        if (early && sweep->outcome) {
            EXPECT_EQ(sweep->outcome->error(), asio::error::make_error_code(asio::error::operation_aborted)) << steps;
        }
    }
}

TEST(Discover, RefusesOptionsThatCannotBe)
{
    world around{chain(1)};
    discover_options none_out;
    none_out.outstanding = 0;
    EXPECT_EQ(around.sweep(none_out).error(), errc::invalid_argument);
    discover_options never_asked;
    never_asked.attempts = 0;
    EXPECT_EQ(around.sweep(never_asked).error(), errc::invalid_argument);
    discover_options no_time;
    no_time.timeout = 0ms;
    EXPECT_EQ(around.sweep(no_time).error(), errc::invalid_argument);
}

TEST(Discover, ClearsPortStateChangeBeforeItAsksThePortsSoThatLaterChangesAreTold)
{
    // A cable is plugged in at each step of a sweep: it is found, or the switch says afterwards that it has changed.
    topology::fabric layout;
    auto const host = layout.add(make_ca(0x1, 1, "host"));
    auto const a = layout.add(make_switch(0x10, 4, "a"));
    auto const b = layout.add(make_switch(0x11, 4, "b"));
    auto const late = layout.add(make_ca(0x2, 1, "late"));
    plug(layout, {host, 1}, {a, 1});
    plug(layout, {a, 2}, {b, 1});
    plug(layout, {b, 3}, {late, 1});
    unsigned found_at_once = 0;
    unsigned told = 0;
    for (unsigned at = 0; at < 120; ++at) {
        sim::fabric_options options;
        options.faults.hop_latency = 5us;
        world around{layout, options};
        ASSERT_FALSE(around.on().set_link({b, 3}, false).code());
        discover_options how;
        how.clear_port_state_change = true;
        how.keep_attributes = true;
        how.time = &around.time();
        auto const sweep = around.start(discover(around.local(), how));
        for (unsigned i = 0; i != at && !sweep->ended; ++i)
            (void)around.step();
        ASSERT_FALSE(around.on().set_link({b, 3}, true).code());
        while (!sweep->ended)
            ASSERT_TRUE(around.step());
        auto const& found = sweep->outcome->value();
        EXPECT_TRUE(found.complete()) << listed(found.problems);
        auto const changed = found.fabric.find(guid{0x11});
        ASSERT_NE(changed, topology::no_node);
        how.clear_port_state_change = false;
        auto const again = around.sweep(how).value();
        bool const says_so = again.attributes.at(again.fabric.find(guid{0x11})).switch_info.port_state_change;
        bool const has = found.fabric.find(guid{0x2}) != topology::no_node;
        EXPECT_TRUE(has || says_so) << "at step " << at;
        found_at_once += has ? 1 : 0;
        told += has ? 0 : 1;
    }
    EXPECT_GT(found_at_once, 0U);
    EXPECT_GT(told, 0U);
}

TEST(Discover, LeavesPortStateChangeAloneWhereItIsNotAskedTo)
{
    world around{chain(3, 5)};
    discover_options how;
    how.keep_attributes = true;
    auto const changes = [&] {
        auto const found = around.sweep(how).value();
        return std::count_if(found.attributes.begin(), found.attributes.end(),
            [](auto const& one) { return one.switch_info.port_state_change; });
    };
    ASSERT_FALSE(around.on().set_link({1, 1}, false).code());
    ASSERT_FALSE(around.on().set_link({1, 1}, true).code());
    auto const said = changes();
    EXPECT_GT(said, 0);
    EXPECT_EQ(changes(), said);
    how.clear_port_state_change = true;
    EXPECT_EQ(changes(), said) << "as it was";
    EXPECT_EQ(changes(), 0);
}

TEST(Discover, AsksThePortsOfASwitchThatDoesNotTakeBackThatItHasChanged)
{
    auto const layout = chain(3, 5);
    for (bool const silent : {false, true})
        for (auto const ask : {method::get, method::set}) {
            world around{layout};
            sim::fault_rule rule;
            rule.node = 2;
            rule.method = static_cast<std::uint8_t>(ask);
            rule.attribute = switch_info::layout.id;
            rule.action = silent ? sim::fault_action::drop : sim::fault_action::status;
            rule.status = mad_status::invalid_value;
            (void)around.on().add_rule(rule);
            ASSERT_FALSE(around.on().set_link({2, 1}, false).code());
            ASSERT_FALSE(around.on().set_link({2, 1}, true).code());
            discover_options how;
            how.clear_port_state_change = true;
            how.timeout = 5ms;
            auto const found = around.sweep(how).value();
            EXPECT_EQ(found.fabric.size(), layout.size());
            expect_same(layout, found.fabric);
        }
}

} // namespace
} // namespace madrigal::tests
