#include <madrigal/wire/performance.hpp>

namespace madrigal {

std::string to_string(port_counter value)
{
    switch (value) {
    case port_counter::symbol_errors: return "SymbolErrorCounter";
    case port_counter::link_error_recoveries: return "LinkErrorRecoveryCounter";
    case port_counter::link_downed: return "LinkDownedCounter";
    case port_counter::rcv_errors: return "PortRcvErrors";
    case port_counter::rcv_remote_physical_errors: return "PortRcvRemotePhysicalErrors";
    case port_counter::rcv_switch_relay_errors: return "PortRcvSwitchRelayErrors";
    case port_counter::xmit_discards: return "PortXmitDiscards";
    case port_counter::xmit_constraint_errors: return "PortXmitConstraintErrors";
    case port_counter::rcv_constraint_errors: return "PortRcvConstraintErrors";
    case port_counter::local_link_integrity_errors: return "LocalLinkIntegrityErrors";
    case port_counter::excessive_buffer_overruns: return "ExcessiveBufferOverrunErrors";
    case port_counter::vl15_dropped: return "VL15Dropped";
    case port_counter::xmit_data: return "PortXmitData";
    case port_counter::rcv_data: return "PortRcvData";
    case port_counter::xmit_packets: return "PortXmitPkts";
    case port_counter::rcv_packets: return "PortRcvPkts";
    }
    return hexadecimal(static_cast<std::uint16_t>(value), 4);
}

std::string to_string(port_counter2 value)
{
    switch (value) {
    case port_counter2::xmit_wait: return "PortXmitWait";
    case port_counter2::qp1_dropped: return "QP1Dropped";
    }
    return hexadecimal(static_cast<std::uint8_t>(value), 2);
}

std::string to_string(port_counter_extended value)
{
    switch (value) {
    case port_counter_extended::xmit_data: return "PortXmitData";
    case port_counter_extended::rcv_data: return "PortRcvData";
    case port_counter_extended::xmit_packets: return "PortXmitPkts";
    case port_counter_extended::rcv_packets: return "PortRcvPkts";
    case port_counter_extended::unicast_xmit_packets: return "PortUnicastXmitPkts";
    case port_counter_extended::unicast_rcv_packets: return "PortUnicastRcvPkts";
    case port_counter_extended::multicast_xmit_packets: return "PortMulticastXmitPkts";
    case port_counter_extended::multicast_rcv_packets: return "PortMulticastRcvPkts";
    }
    return hexadecimal(static_cast<std::uint16_t>(value), 4);
}

std::string to_string(port_counter_extended2 value)
{
    // Bits 0 to 11 are those of PortCounters.
    auto const bits = static_cast<std::uint32_t>(value);
    if (bits != 0 && bits <= static_cast<std::uint32_t>(port_counter_extended2::vl15_dropped))
        return to_string(static_cast<port_counter>(bits));
    if (value == port_counter_extended2::xmit_wait)
        return "PortXmitWait";
    if (value == port_counter_extended2::qp1_dropped)
        return "QP1Dropped";
    return hexadecimal(bits, 8);
}

std::string to_string(performance_capability value)
{
    switch (value) {
    case performance_capability::trap: return "IsTrapSupported";
    case performance_capability::get_set_notice: return "IsGetSetNoticeSupported";
    case performance_capability::capability_mask2: return "IsCapabilityMask2Supported";
    case performance_capability::all_port_select: return "AllPortSelect";
    case performance_capability::extended_width: return "IsExtendedWidthSupported";
    case performance_capability::extended_width_no_ietf: return "IsExtendedWidthSupportedNoIETF";
    case performance_capability::samples_only: return "SamplesOnlySupported";
    case performance_capability::xmit_wait: return "PortCountersXmitWaitSupported";
    case performance_capability::inhibit_limited_p_key_multicast_constraint_errors:
        return "IsInhibitLimitedPKeyMulticastConstraintErrors";
    case performance_capability::rs_fec_counters: return "IsRSFECCountersSupported";
    case performance_capability::qp1_dropped: return "IsQP1DroppedSupported";
    }
    return hexadecimal(static_cast<std::uint16_t>(value), 4);
}

std::string to_string(performance_capability2 value)
{
    switch (value) {
    case performance_capability2::pm_key: return "IsPMKeySupported";
    case performance_capability2::additional_counters_extended: return "IsAdditionalPortCountersExtendedSupported";
    }
    return hexadecimal(static_cast<std::uint32_t>(value), 8);
}

std::string to_string(sampled_counter value)
{
    switch (value) {
    case sampled_counter::none: return "None";
    case sampled_counter::xmit_data: return "PortXmitData";
    case sampled_counter::rcv_data: return "PortRcvData";
    case sampled_counter::xmit_packets: return "PortXmitPkts";
    case sampled_counter::rcv_packets: return "PortRcvPkts";
    case sampled_counter::xmit_wait: return "PortXmitWait";
    }
    return hexadecimal(static_cast<std::uint16_t>(value), 4);
}

std::string to_string(sample_status value)
{
    switch (value) {
    case sample_status::done: return "Done";
    case sample_status::waiting: return "Waiting";
    case sample_status::running: return "Running";
    }
    return std::to_string(static_cast<unsigned>(value));
}

} // namespace madrigal
