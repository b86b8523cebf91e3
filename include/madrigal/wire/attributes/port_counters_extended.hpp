// PortCountersExtended (IBA 16.1.4.11): the same in 64 bits. What follows the multicast packets holds something only
// where ClassPortInfo.CapabilityMask2 says so (`performance_capability2::additional_counters_extended`).
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/performance.hpp>

// clang-format off
#define MADRIGAL_PORT_COUNTERS_EXTENDED(field)                                                                         \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(flags<port_counter_extended>, counter_select, "CounterSelect", 16, 16, "counters that a Set writes")         \
    field(flags<port_counter_extended2>, counter_select2, "CounterSelect2", 32, 32,                                    \
        "more counters that a Set writes")                                                                             \
    field(std::uint64_t, xmit_data, "PortXmitData", 64, 64, "sent, in steps of 4 bytes")                               \
    field(std::uint64_t, rcv_data, "PortRcvData", 128, 64, "received, in steps of 4 bytes")                            \
    field(std::uint64_t, xmit_packets, "PortXmitPkts", 192, 64, "packets sent")                                        \
    field(std::uint64_t, rcv_packets, "PortRcvPkts", 256, 64, "packets received")                                      \
    field(std::uint64_t, unicast_xmit_packets, "PortUnicastXmitPkts", 320, 64, "unicast packets sent")                 \
    field(std::uint64_t, unicast_rcv_packets, "PortUnicastRcvPkts", 384, 64, "unicast packets received")               \
    field(std::uint64_t, multicast_xmit_packets, "PortMulticastXmitPkts", 448, 64, "multicast packets sent")           \
    field(std::uint64_t, multicast_rcv_packets, "PortMulticastRcvPkts", 512, 64, "multicast packets received")         \
    field(std::uint64_t, symbol_errors, "SymbolErrorCounter", 576, 64, "minor link errors")                            \
    field(std::uint64_t, link_error_recoveries, "LinkErrorRecoveryCounter", 640, 64,                                   \
        "times the link recovered from errors")                                                                        \
    field(std::uint64_t, link_downed, "LinkDownedCounter", 704, 64, "times it failed to recover")                      \
    field(std::uint64_t, rcv_errors, "PortRcvErrors", 768, 64, "packets received with an error")                       \
    field(std::uint64_t, rcv_remote_physical_errors, "PortRcvRemotePhysicalErrors", 832, 64,                           \
        "packets marked bad by who sent them on")                                                                      \
    field(std::uint64_t, rcv_switch_relay_errors, "PortRcvSwitchRelayErrors", 896, 64,                                 \
        "packets that the switch could not relay")                                                                     \
    field(std::uint64_t, xmit_discards, "PortXmitDiscards", 960, 64, "packets dropped before they were sent")          \
    field(std::uint64_t, xmit_constraint_errors, "PortXmitConstraintErrors", 1024, 64,                                 \
        "packets not sent for partition or raw filter")                                                                \
    field(std::uint64_t, rcv_constraint_errors, "PortRcvConstraintErrors", 1088, 64,                                   \
        "packets dropped for partition or raw filter")                                                                 \
    field(std::uint64_t, local_link_integrity_errors, "LocalLinkIntegrityErrors", 1152, 64,                            \
        "times local errors passed their threshold")                                                                   \
    field(std::uint64_t, excessive_buffer_overruns, "ExcessiveBufferOverrunErrors", 1216, 64,                          \
        "times overruns passed theirs")                                                                                \
    field(std::uint64_t, vl15_dropped, "VL15Dropped", 1280, 64, "packets of VL 15 dropped for lack of room")           \
    field(std::uint64_t, xmit_wait, "PortXmitWait", 1344, 64, "ticks with data to send and no credit")                 \
    field(std::uint64_t, qp1_dropped, "QP1Dropped", 1408, 64, "MADs of QP 1 dropped for lack of room")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_counters_extended, "PortCountersExtended", 0x001D,
    attribute_scope{management_class::performance}, 184, MADRIGAL_PORT_COUNTERS_EXTENDED);
} // namespace madrigal
