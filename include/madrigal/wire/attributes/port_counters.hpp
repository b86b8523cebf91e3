// PortCounters (IBA 16.1.3.5): what every port counts. The counters stop at their largest value.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/performance.hpp>

// clang-format off
#define MADRIGAL_PORT_COUNTERS(field)                                                                                  \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(flags<port_counter>, counter_select, "CounterSelect", 16, 16, "counters that a Set writes")                  \
    field(std::uint16_t, symbol_errors, "SymbolErrorCounter", 32, 16, "minor link errors")                             \
    field(std::uint8_t, link_error_recoveries, "LinkErrorRecoveryCounter", 48, 8,                                      \
        "times the link recovered from errors")                                                                        \
    field(std::uint8_t, link_downed, "LinkDownedCounter", 56, 8, "times it failed to recover")                         \
    field(std::uint16_t, rcv_errors, "PortRcvErrors", 64, 16, "packets received with an error")                        \
    field(std::uint16_t, rcv_remote_physical_errors, "PortRcvRemotePhysicalErrors", 80, 16,                            \
        "packets marked bad by who sent them on")                                                                      \
    field(std::uint16_t, rcv_switch_relay_errors, "PortRcvSwitchRelayErrors", 96, 16,                                  \
        "packets that the switch could not relay")                                                                     \
    field(std::uint16_t, xmit_discards, "PortXmitDiscards", 112, 16, "packets dropped before they were sent")          \
    field(std::uint8_t, xmit_constraint_errors, "PortXmitConstraintErrors", 128, 8,                                    \
        "packets not sent for partition or raw filter")                                                                \
    field(std::uint8_t, rcv_constraint_errors, "PortRcvConstraintErrors", 136, 8,                                      \
        "packets dropped for partition or raw filter")                                                                 \
    field(flags<port_counter2>, counter_select2, "CounterSelect2", 144, 8, "more counters that a Set writes")          \
    field(std::uint8_t, local_link_integrity_errors, "LocalLinkIntegrityErrors", 152, 4,                               \
        "times local errors passed their threshold")                                                                   \
    field(std::uint8_t, excessive_buffer_overruns, "ExcessiveBufferOverrunErrors", 156, 4,                             \
        "times overruns passed theirs")                                                                                \
    field(std::uint16_t, qp1_dropped, "QP1Dropped", 160, 16, "MADs of QP 1 dropped for lack of room")                  \
    field(std::uint16_t, vl15_dropped, "VL15Dropped", 176, 16, "packets of VL 15 dropped for lack of room")            \
    field(std::uint32_t, xmit_data, "PortXmitData", 192, 32, "sent, in steps of 4 bytes")                              \
    field(std::uint32_t, rcv_data, "PortRcvData", 224, 32, "received, in steps of 4 bytes")                            \
    field(std::uint32_t, xmit_packets, "PortXmitPkts", 256, 32, "packets sent")                                        \
    field(std::uint32_t, rcv_packets, "PortRcvPkts", 288, 32, "packets received")                                      \
    field(std::uint32_t, xmit_wait, "PortXmitWait", 320, 32, "ticks with data to send and no credit")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(
    port_counters, "PortCounters", 0x0012, attribute_scope{management_class::performance}, 44, MADRIGAL_PORT_COUNTERS);
} // namespace madrigal
