// Names of performance management: counters to reset, counters to sample, and what an agent of the class can
// (IBA 16.1).
#pragma once

#include <madrigal/wire/flags.hpp>

#include <cstdint>
#include <string>

namespace madrigal {

/// PortSelect for all ports of a node at once, where `performance_capability::all_port_select` is there.
inline constexpr std::uint8_t all_ports = 0xFF;

/// A bit of PortCounters.CounterSelect: the counter that a Set writes (IBA 16.1.3.5).
enum class port_counter : std::uint16_t {
    symbol_errors = 1U << 0,
    link_error_recoveries = 1U << 1,
    link_downed = 1U << 2,
    rcv_errors = 1U << 3,
    rcv_remote_physical_errors = 1U << 4,
    rcv_switch_relay_errors = 1U << 5,
    xmit_discards = 1U << 6,
    xmit_constraint_errors = 1U << 7,
    rcv_constraint_errors = 1U << 8,
    local_link_integrity_errors = 1U << 9,
    excessive_buffer_overruns = 1U << 10,
    vl15_dropped = 1U << 11,
    xmit_data = 1U << 12,
    rcv_data = 1U << 13,
    xmit_packets = 1U << 14,
    rcv_packets = 1U << 15,
};
/// A bit of PortCounters.CounterSelect2.
enum class port_counter2 : std::uint8_t {
    xmit_wait = 1U << 0,
    qp1_dropped = 1U << 1,
};
/// A bit of PortCountersExtended.CounterSelect (IBA 16.1.4.11).
enum class port_counter_extended : std::uint16_t {
    xmit_data = 1U << 0,
    rcv_data = 1U << 1,
    xmit_packets = 1U << 2,
    rcv_packets = 1U << 3,
    unicast_xmit_packets = 1U << 4,
    unicast_rcv_packets = 1U << 5,
    multicast_xmit_packets = 1U << 6,
    multicast_rcv_packets = 1U << 7,
};
/// A bit of PortCountersExtended.CounterSelect2.
enum class port_counter_extended2 : std::uint32_t {
    symbol_errors = 1U << 0,
    link_error_recoveries = 1U << 1,
    link_downed = 1U << 2,
    rcv_errors = 1U << 3,
    rcv_remote_physical_errors = 1U << 4,
    rcv_switch_relay_errors = 1U << 5,
    xmit_discards = 1U << 6,
    xmit_constraint_errors = 1U << 7,
    rcv_constraint_errors = 1U << 8,
    local_link_integrity_errors = 1U << 9,
    excessive_buffer_overruns = 1U << 10,
    vl15_dropped = 1U << 11,
    xmit_wait = 1U << 12,
    qp1_dropped = 1U << 13,
};

/// A bit of ClassPortInfo.CapabilityMask of the performance class (IBA 16.1.3.1).
enum class performance_capability : std::uint16_t {
    trap = 1U << 0,
    get_set_notice = 1U << 1,
    capability_mask2 = 1U << 2,
    all_port_select = 1U << 8,
    extended_width = 1U << 9,
    extended_width_no_ietf = 1U << 10,
    samples_only = 1U << 11,
    xmit_wait = 1U << 12,
    inhibit_limited_p_key_multicast_constraint_errors = 1U << 13,
    rs_fec_counters = 1U << 14,
    qp1_dropped = 1U << 15,
};
/// A bit of ClassPortInfo.CapabilityMask2 of the performance class.
enum class performance_capability2 : std::uint32_t {
    pm_key = 1U << 0,
    additional_counters_extended = 1U << 1,
};

/// What PortSamplesControl.CounterSelect samples (IBA 16.1.3.3); from 0xC000 the vendor's own.
enum class sampled_counter : std::uint16_t {
    none = 0x0000,
    xmit_data = 0x0001,
    rcv_data = 0x0002,
    xmit_packets = 0x0003,
    rcv_packets = 0x0004,
    xmit_wait = 0x0005,
};

/// PortSamplesControl.SampleStatus and that of the results.
enum class sample_status : std::uint8_t {
    done = 0,
    waiting = 1, ///< SampleStart ticks have not passed
    running = 2,
};

/// The counter's name in PortCounters, `PortXmitData`; a hexadecimal number for a bit without one.
[[nodiscard]] std::string to_string(port_counter value);
/// The counter's name in PortCounters; a hexadecimal number for a bit without one.
[[nodiscard]] std::string to_string(port_counter2 value);
/// The counter's name in PortCountersExtended; a hexadecimal number for a bit without one.
[[nodiscard]] std::string to_string(port_counter_extended value);
/// The counter's name in PortCountersExtended; a hexadecimal number for a bit without one.
[[nodiscard]] std::string to_string(port_counter_extended2 value);
/// `AllPortSelect` …; a hexadecimal number for a bit without a name.
[[nodiscard]] std::string to_string(performance_capability value);
/// `IsPMKeySupported` …; a hexadecimal number for a bit without a name.
[[nodiscard]] std::string to_string(performance_capability2 value);
/// `PortXmitData` …; a hexadecimal number for anything else.
[[nodiscard]] std::string to_string(sampled_counter value);
/// `Done`, `Waiting`, `Running`; a number for anything else.
[[nodiscard]] std::string to_string(sample_status value);

} // namespace madrigal
