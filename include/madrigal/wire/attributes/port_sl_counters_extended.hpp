// PortXmitDataSLExt and PortRcvDataSLExt (IBA 1.3, 16.1.4): traffic by service level in 64 bits. Bit n of CounterSelect
// is the service level n.
#pragma once

#include <madrigal/wire/lane_counters.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/performance.hpp>

// clang-format off
#define MADRIGAL_PORT_XMIT_DATA_SL_EXTENDED(field)                                                                     \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(lane_counters64, data, "PortXmitDataSLExt", 64, 64, "sent at each service level, in steps of 4 bytes")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_xmit_data_sl_extended, "PortXmitDataSLExt", 0x0038,
    attribute_scope{management_class::performance}, 136, MADRIGAL_PORT_XMIT_DATA_SL_EXTENDED);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_RCV_DATA_SL_EXTENDED(field)                                                                      \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(lane_counters64, data, "PortRcvDataSLExt", 64, 64, "received at each service level, in steps of 4 bytes")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_rcv_data_sl_extended, "PortRcvDataSLExt", 0x0039,
    attribute_scope{management_class::performance}, 136, MADRIGAL_PORT_RCV_DATA_SL_EXTENDED);
} // namespace madrigal
