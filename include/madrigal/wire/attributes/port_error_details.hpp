// PortRcvErrorDetails (IBA 16.1.4.1) and PortXmitDiscardDetails (16.1.4.2): what is behind PortRcvErrors and
// PortXmitDiscards. Bit n of CounterSelect is the counter n from 0.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/performance.hpp>

// clang-format off
#define MADRIGAL_PORT_RCV_ERROR_DETAILS(field)                                                                         \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(std::uint16_t, local_physical_errors, "PortLocalPhysicalErrors", 32, 16,                                     \
        "packets with a bad CRC or a bad symbol")                                                                      \
    field(std::uint16_t, malformed_packet_errors, "PortMalformedPacketErrors", 48, 16,                                 \
        "packets that broke a rule of the format")                                                                     \
    field(std::uint16_t, buffer_overrun_errors, "PortBufferOverrunErrors", 64, 16, "packets without room")             \
    field(std::uint16_t, dlid_mapping_errors, "PortDLIDMappingErrors", 80, 16, "packets whose DLID leads nowhere")     \
    field(std::uint16_t, vl_mapping_errors, "PortVLMappingErrors", 96, 16, "packets whose SL leads to no VL")          \
    field(std::uint16_t, looping_errors, "PortLoopingErrors", 112, 16, "packets that would leave where they came in")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_rcv_error_details, "PortRcvErrorDetails", 0x0015,
    attribute_scope{management_class::performance}, 16, MADRIGAL_PORT_RCV_ERROR_DETAILS);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_XMIT_DISCARD_DETAILS(field)                                                                      \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(std::uint16_t, inactive_discards, "PortInactiveDiscards", 32, 16, "packets for a port that is not active")   \
    field(std::uint16_t, neighbor_mtu_discards, "PortNeighborMTUDiscards", 48, 16,                                     \
        "packets longer than the neighbour takes")                                                                     \
    field(std::uint16_t, sw_lifetime_limit_discards, "PortSwLifetimeLimitDiscards", 64, 16,                            \
        "packets too long in the switch")                                                                              \
    field(std::uint16_t, sw_hoq_lifetime_limit_discards, "PortSwHOQLifetimeLimitDiscards", 80, 16,                     \
        "packets too long at the head of a queue")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_xmit_discard_details, "PortXmitDiscardDetails", 0x0016,
    attribute_scope{management_class::performance}, 12, MADRIGAL_PORT_XMIT_DISCARD_DETAILS);
} // namespace madrigal
