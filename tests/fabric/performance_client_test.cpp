// A client of performance management against simulated nodes.
#include "fabric/world.hpp"

#include <madrigal/fabric/performance_client.hpp>
#include <madrigal/wire/attributes/port_sl_counters.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <utility>

namespace madrigal::tests {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

enum : topology::node_index { asker, two_ports, middle };

/// A machine that asks, one whose CA has two ports, and a switch of four ports.
topology::fabric three_nodes()
{
    topology::fabric made;
    made.add(make_ca(0x100, 1, "asker"));
    made.add(make_ca(0x200, 2, "two ports"));
    made.add(make_switch(0x300, 4, "middle"));
    plug(made, {asker, 1}, {middle, 1});
    plug(made, {two_ports, 1}, {middle, 2});
    return made;
}

sim::fabric_options configured()
{
    sim::fabric_options options;
    options.start = sim::start_state::configured;
    return options;
}

class PerformanceClient : public testing::Test {
protected:
    PerformanceClient()
    {
        gmp_options options;
        options.timeout = 100ms;
        options.retries = 0;
        client = performance_client::open(with.local(), options).value();
        ca = with.on().look_at({two_ports, 1}).value().base_lid;
        switch_lid = with.on().look_at({middle, 0}).value().base_lid;
        of_ca = with.run(find_node_ports(with.local(), ca)).value();
        of_switch = with.run(find_node_ports(with.local(), switch_lid)).value();
    }
    void count_symbol_errors(topology::endpoint at, std::uint64_t errors)
    {
        port_counters_extended counts;
        counts.symbol_errors = errors;
        ASSERT_FALSE(with.on().set_port_counts(at, counts).code());
    }
    /// From now on ClassPortInfo of the class is what was sent with the question, nothing.
    void make_incapable()
    {
        (void)with.on().add_rule({.attribute = class_port_info::layout.id,
            .mgmt_class = static_cast<std::uint8_t>(management_class::performance),
            .action = sim::fault_action::status,
            .status = mad_status::ok});
    }
    sim::fault_rule_id make_silent(std::optional<std::uint16_t> attribute = std::nullopt)
    {
        return with.on().add_rule(
            {.attribute = attribute, .mgmt_class = static_cast<std::uint8_t>(management_class::performance)});
    }

    world with{three_nodes(), configured(), "asker"};
    performance_client client;
    destination ca{lid{}};
    destination switch_lid{lid{}};
    node_ports of_ca;
    node_ports of_switch;
};

TEST_F(PerformanceClient, FindsThePortsOfANode)
{
    EXPECT_EQ(of_ca, (node_ports{node_type::ca, 1, 2, 1}));
    EXPECT_EQ(of_switch, (node_ports{node_type::switch_, 1, 4, 0}));
    EXPECT_EQ(with.run(find_node_ports(with.local(), destination{gid{}})).error(), errc::invalid_argument);
}

TEST_F(PerformanceClient, GetsAndSetsWhatEachPortCounts)
{
    count_symbol_errors({two_ports, 2}, 12);
    auto const got = with.run(client.get_port<port_counters>(ca, 2));
    ASSERT_TRUE(got) << got.error().message();
    EXPECT_EQ(got.value().port_select, 2);
    EXPECT_EQ(got.value().symbol_errors, 12);
    port_counters writes;
    writes.port_select = 2;
    writes.counter_select = port_counter::symbol_errors;
    writes.symbol_errors = 4;
    auto const written = with.run(client.set(ca, writes));
    ASSERT_TRUE(written) << written.error().message();
    EXPECT_EQ(written.value().symbol_errors, 4);
    auto const refused = with.run(client.get_port<port_counters>(ca, 3));
    EXPECT_EQ(mad_status_of(refused.error().code()), mad_status::invalid_value);
    EXPECT_THAT(refused.error().message(), HasSubstr("Get(PortCounters) of LID " + to_string(ca.to_lid())));
}

TEST_F(PerformanceClient, ReadsWhatAnAgentCanOnceUntilItFallsSilent)
{
    auto const can = with.run(client.capabilities(switch_lid));
    ASSERT_TRUE(can) << can.error().message();
    EXPECT_TRUE(can.value().all_port_select());
    EXPECT_TRUE(can.value().extended());
    EXPECT_TRUE(can.value().extended_errors());
    EXPECT_FALSE(with.run(client.capabilities(ca)).value().all_port_select());
    auto const rule = make_silent(class_port_info::layout.id);
    EXPECT_EQ(with.run(client.capabilities(switch_lid)).value(), can.value()) << "from memory";
    EXPECT_TRUE(with.on().remove_rule(rule));
    auto const all = make_silent();
    EXPECT_EQ(with.run(client.get_port<port_counters>(switch_lid, 1)).error(), errc::timeout);
    EXPECT_EQ(with.run(client.capabilities(switch_lid)).error(), errc::timeout) << "forgotten";
    EXPECT_TRUE(with.on().remove_rule(all));
    EXPECT_EQ(with.run(client.capabilities(switch_lid)).value(), can.value());
}

TEST_F(PerformanceClient, SumsAllPortsHoweverTheAgentDoesIt)
{
    count_symbol_errors({middle, 3}, 0xFFF0);
    count_symbol_errors({middle, 4}, 0x0F);
    auto const at_once = with.run(client.get_all_ports<port_counters>(switch_lid, of_switch));
    ASSERT_TRUE(at_once) << at_once.error().message();
    EXPECT_FALSE(at_once.value().emulated);
    EXPECT_EQ(at_once.value().counters.symbol_errors, 0xFFFF);
    EXPECT_EQ(at_once.value().counters.port_select, all_ports);

    auto const other = performance_client::open(with.local()).value();
    make_incapable();
    auto const one_by_one = with.run(other.get_all_ports<port_counters>(switch_lid, of_switch));
    ASSERT_TRUE(one_by_one) << one_by_one.error().message();
    EXPECT_TRUE(one_by_one.value().emulated);
    EXPECT_EQ(one_by_one.value().counters.symbol_errors, 0xFFFF);
    EXPECT_EQ(one_by_one.value().counters.port_select, all_ports);
    EXPECT_GT(one_by_one.value().counters.rcv_packets, 0u);
}

TEST_F(PerformanceClient, WritesAllPortsHoweverTheAgentDoesIt)
{
    for (auto const& [to, of, node] : {std::tuple{switch_lid, of_switch, topology::node_index{middle}},
             {ca, of_ca, topology::node_index{two_ports}}}) {
        for (std::uint8_t number = of.first; number <= of.last; ++number)
            count_symbol_errors({node, number}, 5);
        port_counters writes;
        writes.counter_select = port_counter::symbol_errors;
        auto const done = with.run(client.set_all_ports(to, writes, of));
        ASSERT_TRUE(done) << done.error().message();
        EXPECT_EQ(done.value(), node == two_ports);
        for (std::uint8_t number = of.first; number <= of.last; ++number)
            EXPECT_EQ(with.run(client.get_port<port_counters>(to, number)).value().symbol_errors, 0);
    }
}

TEST_F(PerformanceClient, AFailureOnTheWayIsTheSums)
{
    auto const rule = with.on().add_rule({.attribute = port_counters::layout.id,
        .count = 1,
        .action = sim::fault_action::status,
        .status = mad_status::busy});
    auto const sum = with.run(client.get_all_ports<port_counters>(ca, of_ca));
    EXPECT_EQ(mad_status_of(sum.error().code()), mad_status::busy);
    (void)with.on().remove_rule(rule);
}

TEST_F(PerformanceClient, WideCountersFallBackOnNarrowOnesAndSaySo)
{
    count_symbol_errors({two_ports, 2}, 0x1'0000'0000);
    auto const wide = with.run(client.get_wide(ca, 2));
    ASSERT_TRUE(wide) << wide.error().message();
    EXPECT_FALSE(wide.value().narrow);
    EXPECT_EQ(wide.value().counters.symbol_errors, 0x1'0000'0000);
    auto const other = performance_client::open(with.local()).value();
    make_incapable();
    auto const narrow = with.run(other.get_wide(ca, 2));
    ASSERT_TRUE(narrow) << narrow.error().message();
    EXPECT_TRUE(narrow.value().narrow);
    EXPECT_EQ(narrow.value().counters.symbol_errors, 0xFFFFu);
    EXPECT_EQ(narrow.value().counters.port_select, 2);
}

TEST(CounterSums, StopAtTheWidthOfEachField)
{
    port_counters sum;
    sum.port_select = 1;
    sum.symbol_errors = 0xFFFE;
    sum.local_link_integrity_errors = 0xE;
    sum.xmit_data = 5;
    port_counters more;
    more.port_select = 7;
    more.counter_select = port_counter::rcv_data;
    more.symbol_errors = 2;
    more.local_link_integrity_errors = 3;
    more.xmit_data = 6;
    add_counters(sum, more);
    EXPECT_EQ(sum.port_select, 1);
    EXPECT_TRUE(sum.counter_select.empty());
    EXPECT_EQ(sum.symbol_errors, 0xFFFF);
    EXPECT_EQ(sum.local_link_integrity_errors, 0xF);
    EXPECT_EQ(sum.xmit_data, 11u);
    port_rcv_data_sl lanes;
    lanes.data[3] = 0xFFFF'FFFF;
    port_rcv_data_sl more_lanes;
    more_lanes.counter_select = 0xFFFF;
    more_lanes.data[3] = 1;
    more_lanes.data[15] = 9;
    add_counters(lanes, more_lanes);
    EXPECT_EQ(lanes.counter_select, 0);
    EXPECT_EQ(lanes.data[3], 0xFFFF'FFFF);
    EXPECT_EQ(lanes.data[15], 9u);
    port_counters_extended full;
    full.rcv_data = UINT64_MAX;
    add_counters(full, full);
    EXPECT_EQ(full.rcv_data, UINT64_MAX);
}

TEST(CounterSelections, HoldWhatTheAgentHas)
{
    performance_capabilities can;
    EXPECT_EQ(select_all_counters(port_counters{}, can).counter_select.value(), 0xFFFF);
    EXPECT_TRUE(select_all_counters(port_counters{}, can).counter_select2.empty());
    EXPECT_EQ(select_all_counters(port_counters_extended{}, can).counter_select.value(), 0x0F);
    EXPECT_TRUE(select_all_counters(port_counters_extended{}, can).counter_select2.empty());
    can.first = {performance_capability::extended_width, performance_capability::capability_mask2,
        performance_capability::xmit_wait, performance_capability::qp1_dropped};
    can.second = performance_capability2::additional_counters_extended;
    EXPECT_EQ(select_all_counters(port_counters{}, can).counter_select2.value(), 0b11);
    EXPECT_EQ(select_all_counters(port_counters_extended{}, can).counter_select.value(), 0xFF);
    EXPECT_EQ(select_all_counters(port_counters_extended{}, can).counter_select2.value(), 0x3FFFu);
}

} // namespace
} // namespace madrigal::tests
