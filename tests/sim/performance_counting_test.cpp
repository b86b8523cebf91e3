// What the ports of a simulated fabric count: packets that pass, and what goes wrong with them.
#include "performance_asker.hpp"

namespace madrigal::sim::test {
namespace {

/// A MAD with local route header, transport headers and invariant CRC, in words of 4 bytes.
constexpr unsigned words = 72;

class PortCounting : public performance_asker {
protected:
    PortCounting()
    {
        for (topology::node_index node = 0; node != with.on->layout().size(); ++node)
            for (unsigned number = 0; number <= with.on->layout().at(node).port_count(); ++number)
                (void)with.on->set_port_counts({node, static_cast<std::uint8_t>(number)}, {});
    }
    void expect_passed(topology::endpoint at, unsigned sent, unsigned received)
    {
        auto const counts = counted(at);
        EXPECT_EQ(counts.xmit_packets, sent) << at.node << ' ' << unsigned{at.port};
        EXPECT_EQ(counts.xmit_data, sent * words);
        EXPECT_EQ(counts.unicast_xmit_packets, sent);
        EXPECT_EQ(counts.rcv_packets, received) << at.node << ' ' << unsigned{at.port};
        EXPECT_EQ(counts.rcv_data, received * words);
        EXPECT_EQ(counts.unicast_rcv_packets, received);
        EXPECT_EQ(counts.multicast_rcv_packets, 0u);
    }
};

TEST_F(PortCounting, EveryPacketCountsAtBothEndsOfEachLink)
{
    EXPECT_TRUE(exchange(lid_of({host_b, 1}), method::get, class_port_info{}));
    for (auto const at : {topology::endpoint{host_a, 1}, {switch_1, 1}, {switch_1, 3}, {host_b, 1}})
        expect_passed(at, 1, 1);
    expect_passed({switch_1, 0}, 0, 0);
    expect_passed({switch_2, 5}, 0, 0);
}

TEST_F(PortCounting, ASwitchsOwnPacketsCountAtItsPort0Too)
{
    EXPECT_TRUE(exchange(lid_of({switch_1, 0}), method::get, class_port_info{}));
    expect_passed({switch_1, 1}, 1, 1);
    expect_passed({switch_1, 0}, 1, 1);
    EXPECT_EQ(get<port_counters>(lid_of({switch_1, 0}), 0).rcv_packets, 2u) << "with this question";
}

TEST_F(PortCounting, SubnetManagementCountsButHasNoServiceLevel)
{
    EXPECT_TRUE(with.ask(directed_route{0, 1, 3}, attribute_id::node_info));
    expect_passed({switch_1, 3}, 1, 1);
    auto const to = lid_of({switch_1, 0});
    EXPECT_EQ(get<port_xmit_data_sl>(to, 3).data, lane_counters32{});
    service_level = 5;
    EXPECT_TRUE(exchange(lid_of({host_b, 1}), method::get, class_port_info{}));
    service_level = 0;
    lane_counters32 expected{};
    expected[5] = words;
    EXPECT_EQ(get<port_xmit_data_sl>(to, 3).data, expected);
    EXPECT_EQ(get<port_rcv_data_sl>(to, 3).data, expected);
    port_xmit_data_sl writes;
    writes.port_select = 3;
    writes.counter_select = 1U << 5 | 1U << 6;
    writes.data[6] = 77;
    EXPECT_EQ(set(to, writes).data[6], 77u);
    EXPECT_EQ(get<port_xmit_data_sl>(to, 3).data[5], 0u);
    EXPECT_EQ(get<port_rcv_data_sl>(to, 3).data, expected);
}

TEST_F(PortCounting, ALostPacketIsAnErrorOfWhoeverShouldHaveReceivedIt)
{
    with.on->set_faults({.loss = 1});
    EXPECT_FALSE(exchange(lid_of({host_b, 1}), method::get, class_port_info{}));
    with.on->set_faults({});
    EXPECT_EQ(counted({host_a, 1}).xmit_packets, 1u);
    EXPECT_EQ(counted({switch_1, 1}).rcv_packets, 0u);
    EXPECT_EQ(counted({switch_1, 1}).rcv_errors, 1u);
    auto const details = get<port_rcv_error_details>(lid_of({switch_1, 0}), 1);
    EXPECT_EQ(details.local_physical_errors, 1);
    EXPECT_EQ(details.dlid_mapping_errors, 0);
}

TEST_F(PortCounting, ALinkThatGoesDownIsCountedAtBothEndsAndWhatShouldPassIsDiscarded)
{
    auto const to_b = lid_of({host_b, 1});
    ASSERT_FALSE(with.on->set_link({host_b, 1}, false).code());
    EXPECT_EQ(counted({host_b, 1}).link_downed, 1u);
    EXPECT_EQ(counted({switch_1, 3}).link_downed, 1u);
    EXPECT_EQ(counted({switch_1, 5}).link_downed, 0u);
    EXPECT_FALSE(exchange(to_b, method::get, class_port_info{}));
    EXPECT_EQ(counted({switch_1, 3}).xmit_discards, 1u);
    EXPECT_EQ(counted({switch_1, 3}).xmit_packets, 0u);
    EXPECT_EQ(get<port_xmit_discard_details>(lid_of({switch_1, 0}), 3).inactive_discards, 1);
    // The link trains again, but nobody has made it Active.
    ASSERT_FALSE(with.on->set_link({host_b, 1}, true).code());
    EXPECT_FALSE(exchange(to_b, method::get, class_port_info{}));
    EXPECT_EQ(counted({switch_1, 3}).xmit_discards, 2u);
    EXPECT_EQ(counted({switch_1, 3}).link_downed, 1u);
}

TEST_F(PortCounting, APacketWithoutAWayIsARelayErrorOfThePortItCameInBy)
{
    EXPECT_FALSE(exchange(lid{999}, method::get, class_port_info{}));
    EXPECT_EQ(counted({switch_1, 1}).rcv_switch_relay_errors, 1u);
    EXPECT_EQ(get<port_rcv_error_details>(lid_of({switch_1, 0}), 1).dlid_mapping_errors, 1);
    port_rcv_error_details writes;
    writes.port_select = 1;
    writes.counter_select = 1U << 3;
    EXPECT_EQ(set(lid_of({switch_1, 0}), writes).dlid_mapping_errors, 0);
    EXPECT_EQ(counted({switch_1, 1}).rcv_switch_relay_errors, 1u);
}

TEST_F(PortCounting, WhatANodeHasNoRoomForIsDroppedAtThePortItCameInBy)
{
    with.on->set_faults({.service_time = 1ms, .queue_limit = 1});
    for (unsigned i = 0; i != 3; ++i)
        EXPECT_FALSE(with.ask(directed_route{0, 1}, attribute_id::node_info));
    EXPECT_EQ(counted({switch_1, 1}).vl15_dropped, 2u);
    EXPECT_EQ(counted({switch_1, 1}).qp1_dropped, 0u);
    EXPECT_FALSE(exchange(lid_of({switch_1, 0}), method::get, class_port_info{}));
    EXPECT_EQ(counted({switch_1, 1}).qp1_dropped, 1u);
}

TEST_F(PortCounting, SamplesCountersOverAnInterval)
{
    auto const to = lid_of({switch_1, 0});
    port_samples_control control;
    control.port_select = 1;
    control.sample_start = 250'000;    // 1 ms in ticks of 4 ns
    control.sample_interval = 500'000; // 2 ms
    control.tag = 0x1234;
    control.counter_selects[0] = sampled_counter::rcv_packets;
    control.counter_selects[14] = sampled_counter::rcv_data;
    auto const set_up = set(to, control);
    EXPECT_EQ(set_up.status, sample_status::waiting);
    EXPECT_EQ(set_up.tag, 0x1234);
    EXPECT_EQ(set_up.sample_interval, 500'000u);
    EXPECT_EQ(set_up.counter_width, 4) << "32 bits";
    auto const result = [&] { return exchange(to, method::get, port_samples_result{})->as<port_samples_result>(); };
    EXPECT_EQ(result().status, sample_status::waiting);
    auto later = control;
    later.tag = 0x9999;
    EXPECT_EQ(set(to, later).tag, 0x1234) << "one at a time";
    with.clock.advance(1ms);
    auto const running = result(); // the one question that is counted
    EXPECT_EQ(running.status, sample_status::running);
    EXPECT_EQ(running.counters, sample_counters32{});
    with.clock.advance(2ms);
    auto const done = result();
    EXPECT_EQ(done.status, sample_status::done);
    EXPECT_EQ(done.tag, 0x1234);
    sample_counters32 expected{};
    expected[0] = 1;
    expected[14] = words;
    EXPECT_EQ(done.counters, expected);
    auto const wide = exchange(to, method::get, port_samples_result_extended{})->as<port_samples_result_extended>();
    EXPECT_EQ(wide.extended_width, 2);
    EXPECT_EQ(wide.counters[14], words);
    EXPECT_EQ(set(to, later).tag, 0x9999) << "when it is done, the next may begin";
}

TEST_F(PortCounting, SamplingRefusesWhatItCannot)
{
    auto const to = lid_of({switch_1, 0});
    port_samples_control control;
    control.port_select = 9;
    EXPECT_EQ(status(to, method::get, control), 0x001C);
    control.port_select = all_ports;
    EXPECT_EQ(status(to, method::set, control), 0x001C);
    control.port_select = 2;
    EXPECT_EQ(get<port_samples_control>(to, 2).status, sample_status::done) << "nothing was ever set";
    control.counter_selects[3] = static_cast<sampled_counter>(0xC000);
    EXPECT_EQ(status(to, method::set, control), 0x001C);
    EXPECT_EQ(status(to, method::set, port_samples_result{}), mad_status::unsupported_method_attribute);
    // A sampling that is under way goes with the node's power.
    control.counter_selects[3] = sampled_counter::xmit_wait;
    control.sample_interval = 1'000;
    EXPECT_EQ(status(to, method::set, control), 0);
    ASSERT_FALSE(with.on->set_power(switch_1, false).code());
    with.clock.advance(1s);
    with.on->advance();
}

TEST_F(PortCounting, PowerOnBeginsAtZero)
{
    ASSERT_FALSE(with.on->set_port_counts({switch_2, 1}, some_of_all(3)).code());
    ASSERT_FALSE(with.on->set_power(switch_2, false).code());
    ASSERT_FALSE(with.on->set_power(switch_2, true).code());
    EXPECT_EQ(counted({switch_2, 1}), port_counters_extended{});
    EXPECT_EQ(counted({switch_1, 5}).link_downed, 1u) << "the other end has seen its link go";
}

TEST_F(PortCounting, PortsThatAreNotThereHaveNoCounters)
{
    EXPECT_EQ(with.on->port_counts({switch_2, 9}).error(), errc::invalid_argument);
    EXPECT_EQ(with.on->set_port_counts({99, 1}, {}), errc::invalid_argument);
    auto counts = some_of_all(1);
    counts.port_select = 9;
    counts.counter_select = port_counter_extended::rcv_data;
    ASSERT_FALSE(with.on->set_port_counts({switch_2, 8}, counts).code());
    EXPECT_EQ(counted({switch_2, 8}), some_of_all(1)) << "what selects is no counter";
}

} // namespace
} // namespace madrigal::sim::test
