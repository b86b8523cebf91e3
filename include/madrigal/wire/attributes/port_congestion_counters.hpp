// Counters of congestion (IBA 16.1.4.9 and annex A10): SwPortVLCongestion, PortRcvConCtrl, PortSLRcvFECN,
// PortSLRcvBECN, PortXmitConCtrl and PortVLXmitTimeCong. Bit n of CounterSelect is the counter, the lane or the level n
// from 0.
#pragma once

#include <madrigal/wire/lane_counters.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/performance.hpp>

#include <array>
#include <cstdint>

namespace madrigal {
/// One for each of the 15 data lanes: lane 15 is of SMPs and has none.
using congestion_times = std::array<std::uint32_t, 15>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_SW_PORT_VL_CONGESTION(field)                                                                          \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(lane_counters16, congestion, "SwPortVLCongestion", 32, 16,                                                   \
        "packets dropped for congestion on each virtual lane")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(sw_port_vl_congestion, "SwPortVLCongestion", 0x0030, attribute_scope{management_class::performance},
    36, MADRIGAL_SW_PORT_VL_CONGESTION);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_RCV_CON_CTRL(field)                                                                              \
    field(std::uint8_t,  port_select,    "PortSelect",      8,  8, "port, 255 for all of them")                        \
    field(std::uint16_t, counter_select, "CounterSelect",  16, 16, "counters that a Set writes, by bit", hexadecimal)  \
    field(std::uint32_t, fecn_packets,   "PortPktRcvFECN", 32, 32, "packets received with a FECN")                     \
    field(std::uint32_t, becn_packets,   "PortPktRcvBECN", 64, 32, "packets received with a BECN")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_rcv_con_ctrl, "PortRcvConCtrl", 0x0031, attribute_scope{management_class::performance}, 12,
    MADRIGAL_PORT_RCV_CON_CTRL);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_SL_RCV_FECN(field)                                                                               \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(lane_counters32, packets, "PortSLRcvFECN", 32, 32, "packets received with a FECN at each service level")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_sl_rcv_fecn, "PortSLRcvFECN", 0x0032, attribute_scope{management_class::performance}, 68,
    MADRIGAL_PORT_SL_RCV_FECN);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_SL_RCV_BECN(field)                                                                               \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(lane_counters32, packets, "PortSLRcvBECN", 32, 32, "packets received with a BECN at each service level")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_sl_rcv_becn, "PortSLRcvBECN", 0x0033, attribute_scope{management_class::performance}, 68,
    MADRIGAL_PORT_SL_RCV_BECN);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_XMIT_CON_CTRL(field)                                                                             \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(std::uint32_t, time_congested, "PortXmitTimeCong", 32, 32, "time that the port was congested")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_xmit_con_ctrl, "PortXmitConCtrl", 0x0034, attribute_scope{management_class::performance}, 8,
    MADRIGAL_PORT_XMIT_CON_CTRL);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_VL_XMIT_TIME_CONG(field)                                                                         \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(congestion_times, time_congested, "PortVLXmitTimeCong", 32, 32, "time that each data lane was congested")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_vl_xmit_time_cong, "PortVLXmitTimeCong", 0x0035, attribute_scope{management_class::performance},
    64, MADRIGAL_PORT_VL_XMIT_TIME_CONG);
} // namespace madrigal
