// The performance management agents of simulated nodes: what they say that they can, and Get and Set of counters.
#include "performance_asker.hpp"

namespace madrigal::sim::test {
namespace {

using PerformanceAgent = performance_asker;

port_counters port(std::uint8_t number)
{
    port_counters asked;
    asked.port_select = number;
    return asked;
}

TEST_F(PerformanceAgent, SaysWhatItCanAndNoMore)
{
    auto const of_ca = exchange(lid_of({host_b, 1}), method::get, class_port_info{})->as<class_port_info>();
    auto const of_switch = exchange(lid_of({switch_1, 0}), method::get, class_port_info{})->as<class_port_info>();
    flags<performance_capability> can{performance_capability::capability_mask2, performance_capability::extended_width,
        performance_capability::xmit_wait, performance_capability::qp1_dropped};
    EXPECT_EQ(of_ca.base_version, 1);
    EXPECT_EQ(of_ca.class_version, 1);
    EXPECT_EQ(of_ca.capability_mask, can.value());
    EXPECT_EQ(of_ca.capability_mask2, 0b10u);
    can.set(performance_capability::all_port_select);
    EXPECT_EQ(of_switch.capability_mask, can.value());
    EXPECT_EQ(of_switch.capability_mask2, 0b10u);
    // No traps, so nobody to send them to.
    EXPECT_EQ(status(lid_of({host_b, 1}), method::set, class_port_info{}), mad_status::unsupported_method_attribute);
}

TEST_F(PerformanceAgent, KnowsThePortsOfItsNodeAndNoOthers)
{
    auto const ca = lid_of({host_c, 1});
    EXPECT_EQ(status(ca, method::get, port(1)), 0);
    EXPECT_EQ(status(ca, method::get, port(2)), 0);
    for (std::uint8_t const number : {0, 3, 254, 255})
        EXPECT_EQ(status(ca, method::get, port(number)), 0x001C) << unsigned{number};
    auto const enhanced = lid_of({switch_1, 0});
    auto const base = lid_of({switch_2, 0});
    EXPECT_EQ(status(enhanced, method::get, port(0)), 0);
    EXPECT_EQ(status(base, method::get, port(0)), 0x001C) << "a base port 0 counts nothing";
    for (auto const to : {enhanced, base}) {
        EXPECT_EQ(status(to, method::get, port(8)), 0);
        EXPECT_EQ(status(to, method::get, port(255)), 0);
        EXPECT_EQ(status(to, method::get, port(9)), 0x001C);
        EXPECT_EQ(status(to, method::set, port(9)), 0x001C);
    }
}

TEST_F(PerformanceAgent, RefusesWhatTheClassDoesNotHave)
{
    auto const to = lid_of({switch_1, 0});
    EXPECT_EQ(status(to, method::get, port(1), 1), 0x001C) << "there is no attribute modifier in this class";
    EXPECT_EQ(status(to, method::get, port(1), 0, 2), mad_status::bad_version);
    auto const unknown = exchange(to, method::get, port(1), 0, 1, 0x0099);
    ASSERT_TRUE(unknown);
    EXPECT_EQ(unknown->view().status(), mad_status::unsupported_method_attribute);
    for (auto const what : {method::trap, method::send, method::get_table})
        EXPECT_FALSE(exchange(to, what, port(1))) << to_string(what);
}

TEST_F(PerformanceAgent, ShowsTheSameInBothWidths)
{
    auto const counts = some_of_all(3);
    ASSERT_FALSE(with.on->set_port_counts({switch_2, 7}, counts).code());
    auto const to = lid_of({switch_2, 0});
    auto wide = get<port_counters_extended>(to, 7);
    EXPECT_EQ(wide.port_select, 7);
    wide.port_select = 0;
    EXPECT_EQ(wide, counts);
    auto const narrow = get<port_counters>(to, 7);
    EXPECT_EQ(narrow.port_select, 7);
    EXPECT_EQ(narrow.symbol_errors, counts.symbol_errors);
    EXPECT_EQ(narrow.link_error_recoveries, counts.link_error_recoveries);
    EXPECT_EQ(narrow.link_downed, counts.link_downed);
    EXPECT_EQ(narrow.rcv_errors, counts.rcv_errors);
    EXPECT_EQ(narrow.rcv_remote_physical_errors, counts.rcv_remote_physical_errors);
    EXPECT_EQ(narrow.rcv_switch_relay_errors, counts.rcv_switch_relay_errors);
    EXPECT_EQ(narrow.xmit_discards, counts.xmit_discards);
    EXPECT_EQ(narrow.xmit_constraint_errors, counts.xmit_constraint_errors);
    EXPECT_EQ(narrow.rcv_constraint_errors, counts.rcv_constraint_errors);
    EXPECT_EQ(narrow.local_link_integrity_errors, counts.local_link_integrity_errors);
    EXPECT_EQ(narrow.excessive_buffer_overruns, counts.excessive_buffer_overruns);
    EXPECT_EQ(narrow.vl15_dropped, counts.vl15_dropped);
    EXPECT_EQ(narrow.qp1_dropped, counts.qp1_dropped);
    EXPECT_EQ(narrow.xmit_data, counts.xmit_data);
    EXPECT_EQ(narrow.rcv_data, counts.rcv_data);
    EXPECT_EQ(narrow.xmit_packets, counts.xmit_packets);
    EXPECT_EQ(narrow.rcv_packets, counts.rcv_packets);
    EXPECT_EQ(narrow.xmit_wait, counts.xmit_wait);
}

TEST_F(PerformanceAgent, CountersStopAtTheirLargestValue)
{
    ASSERT_FALSE(with.on->set_port_counts({switch_2, 7}, some_of_all(0x1'0000'0000)).code());
    auto const to = lid_of({switch_2, 0});
    auto const narrow = get<port_counters>(to, 7);
    EXPECT_EQ(narrow.symbol_errors, 0xFFFF);
    EXPECT_EQ(narrow.link_downed, 0xFF);
    EXPECT_EQ(narrow.local_link_integrity_errors, 0xF);
    EXPECT_EQ(narrow.excessive_buffer_overruns, 0xF);
    EXPECT_EQ(narrow.vl15_dropped, 0xFFFF);
    EXPECT_EQ(narrow.xmit_data, 0xFFFF'FFFF);
    EXPECT_EQ(narrow.rcv_packets, 0xFFFF'FFFF);
    EXPECT_EQ(narrow.xmit_wait, 0xFFFF'FFFF);
    EXPECT_EQ(get<port_counters_extended>(to, 7).xmit_data, 0x1'0000'0000);
    auto full = some_of_all(0);
    full.rcv_data = UINT64_MAX - 1;
    ASSERT_FALSE(with.on->set_port_counts({switch_2, 7}, full).code());
    ASSERT_FALSE(with.on->set_port_counts({switch_2, 8}, full).code());
    EXPECT_EQ(get<port_counters_extended>(to, all_ports).rcv_data, UINT64_MAX);
}

TEST_F(PerformanceAgent, ASetWritesTheSelectedCountersOnly)
{
    auto const counts = some_of_all(3);
    ASSERT_FALSE(with.on->set_port_counts({switch_2, 7}, counts).code());
    auto const to = lid_of({switch_2, 0});
    auto const before = get<port_counters>(to, 7);
    auto writes = port(7);
    writes.counter_select = {port_counter::symbol_errors, port_counter::rcv_data};
    writes.counter_select2 = port_counter2::qp1_dropped;
    writes.rcv_data = 1000;
    writes.xmit_data = 99; // not selected
    auto expected = before;
    expected.symbol_errors = 0;
    expected.rcv_data = 1000;
    expected.qp1_dropped = 0;
    EXPECT_EQ(set(to, writes), expected);
    EXPECT_EQ(get<port_counters>(to, 7), expected);
    auto wide = get<port_counters_extended>(to, 7);
    wide.port_select = 0;
    EXPECT_EQ(wide, counts) << "the other attribute's counters are its own";
}

TEST_F(PerformanceAgent, ASetOfTheExtendedCountersWritesTheSelectedOnly)
{
    auto const counts = some_of_all(3);
    ASSERT_FALSE(with.on->set_port_counts({switch_2, 7}, counts).code());
    auto const to = lid_of({switch_2, 0});
    auto const narrow = get<port_counters>(to, 7);
    port_counters_extended writes;
    writes.port_select = 7;
    writes.counter_select = port_counter_extended::unicast_rcv_packets;
    writes.counter_select2 = {port_counter_extended2::vl15_dropped, port_counter_extended2::symbol_errors};
    writes.symbol_errors = 0x12'3456'789A;
    auto expected = counts;
    expected.port_select = 7;
    expected.unicast_rcv_packets = 0;
    expected.vl15_dropped = 0;
    expected.symbol_errors = 0x12'3456'789A;
    EXPECT_EQ(set(to, writes), expected);
    EXPECT_EQ(get<port_counters_extended>(to, 7), expected);
    EXPECT_EQ(get<port_counters>(to, 7), narrow);
}

TEST_F(PerformanceAgent, AllPortsOfASwitchAreASum)
{
    for (std::uint8_t number = 1; number <= 8; ++number)
        ASSERT_FALSE(with.on->set_port_counts({switch_2, number}, {}).code());
    port_counters_extended counts;
    counts.symbol_errors = 0xFFF0;
    counts.rcv_errors = 7;
    ASSERT_FALSE(with.on->set_port_counts({switch_2, 7}, counts).code());
    counts.symbol_errors = 0xFFF0;
    counts.rcv_errors = 8;
    ASSERT_FALSE(with.on->set_port_counts({switch_2, 8}, counts).code());
    auto const to = lid_of({switch_2, 0});
    auto const sum = get<port_counters>(to, all_ports);
    EXPECT_EQ(sum.port_select, all_ports);
    EXPECT_EQ(sum.rcv_errors, 15);
    EXPECT_EQ(sum.symbol_errors, 0xFFFF);
    EXPECT_EQ(get<port_counters_extended>(to, all_ports).symbol_errors, 2 * 0xFFF0);

    auto writes = port(all_ports);
    writes.counter_select = port_counter::rcv_errors;
    EXPECT_EQ(set(to, writes).rcv_errors, 0);
    EXPECT_EQ(get<port_counters>(to, 7).rcv_errors, 0);
    EXPECT_EQ(get<port_counters>(to, 8).rcv_errors, 0);
    EXPECT_EQ(get<port_counters>(to, 8).symbol_errors, 0xFFF0);
}

TEST_F(PerformanceAgent, TakesItsClassBeforeAnyProcess)
{
    auto const machine = host::make(with.on, "H-c").value();
    open_file c{*machine};
    auto const server = c.register_server(0x04, 1, {1, 2, 3});
    EXPECT_EQ(status(lid_of({host_c, 1}), method::get, port(1)), 0);
    EXPECT_EQ(status(lid_of({host_c, 1}), method::set, port(1)), 0);
    EXPECT_FALSE(c.read());
    EXPECT_FALSE(exchange(lid_of({host_c, 1}), method::send, port(1)));
    auto const got = c.read();
    ASSERT_TRUE(got) << "what the agent does not know is for others";
    EXPECT_EQ(got->header.id, server);
}

TEST_F(PerformanceAgent, MeetsFaultRules)
{
    auto const to = lid_of({host_b, 1});
    auto const rule = with.on->add_rule(
        {.node = host_b, .mgmt_class = 0x04, .action = fault_action::status, .status = mad_status::busy});
    EXPECT_EQ(status(to, method::get, port(1)), mad_status::busy);
    EXPECT_TRUE(with.on->remove_rule(rule));
    (void)with.on->add_rule({.node = host_b, .attribute = port_counters::layout.id, .mgmt_class = 0x04});
    EXPECT_FALSE(exchange(to, method::get, port(1))) << "dropped, and nothing is made up for it";
    EXPECT_EQ(status(to, method::get, class_port_info{}), 0);
}

} // namespace
} // namespace madrigal::sim::test
