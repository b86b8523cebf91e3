// PortXmitDataSL and PortRcvDataSL (IBA A13.6.4, A13.6.5): traffic by service level. Bit n of CounterSelect is the
// service level n.
#pragma once

#include <madrigal/wire/lane_counters.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/performance.hpp>

// clang-format off
#define MADRIGAL_PORT_XMIT_DATA_SL(field)                                                                              \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(lane_counters32, data, "PortXmitDataSL", 32, 32, "sent at each service level, in steps of 4 bytes")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_xmit_data_sl, "PortXmitDataSL", 0x0036, attribute_scope{management_class::performance}, 68,
    MADRIGAL_PORT_XMIT_DATA_SL);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_RCV_DATA_SL(field)                                                                               \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(lane_counters32, data, "PortRcvDataSL", 32, 32, "received at each service level, in steps of 4 bytes")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_rcv_data_sl, "PortRcvDataSL", 0x0037, attribute_scope{management_class::performance}, 68,
    MADRIGAL_PORT_RCV_DATA_SL);
} // namespace madrigal
