// PortOpRcvCounters, PortVLOpPackets and PortVLOpData (IBA 16.1.4.3, 16.1.4.5, 16.1.4.6): what a port received with one
// operation code of the BTH. Bit n of CounterSelect is the counter, or the virtual lane, n from 0.
#pragma once

#include <madrigal/wire/lane_counters.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/performance.hpp>

// clang-format off
#define MADRIGAL_PORT_OP_RCV_COUNTERS(field)                                                                           \
    field(std::uint8_t, op_code, "OpCode", 0, 8, "operation code of the packets counted, the BTH's", hexadecimal)      \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(std::uint32_t, packets, "PortOpRcvPkts", 32, 32, "packets received")                                         \
    field(std::uint32_t, data, "PortOpRcvData", 64, 32, "received, in steps of 4 bytes")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_op_rcv_counters, "PortOpRcvCounters", 0x0017, attribute_scope{management_class::performance},
    12, MADRIGAL_PORT_OP_RCV_COUNTERS);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_VL_OP_PACKETS(field)                                                                             \
    field(std::uint8_t, op_code, "OpCode", 0, 8, "operation code of the packets counted, the BTH's", hexadecimal)      \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(lane_counters16, packets, "PortVLOpPackets", 32, 16, "packets received on each virtual lane")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_vl_op_packets, "PortVLOpPackets", 0x0019, attribute_scope{management_class::performance}, 36,
    MADRIGAL_PORT_VL_OP_PACKETS);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_VL_OP_DATA(field)                                                                                \
    field(std::uint8_t, op_code, "OpCode", 0, 8, "operation code of the packets counted, the BTH's", hexadecimal)      \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(lane_counters32, data, "PortVLOpData", 32, 32, "received on each virtual lane, in steps of 1024 bytes")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_vl_op_data, "PortVLOpData", 0x001A, attribute_scope{management_class::performance}, 68,
    MADRIGAL_PORT_VL_OP_DATA);
} // namespace madrigal
