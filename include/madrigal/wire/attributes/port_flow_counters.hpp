// PortFlowCtlCounters, PortVLXmitFlowCtlUpdateErrors and PortVLXmitWaitCounters (IBA 16.1.4.4, 16.1.4.7, 16.1.4.8):
// flow control. Bit n of CounterSelect is the counter, or the virtual lane, n from 0.
#pragma once

#include <madrigal/wire/lane_counters.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/performance.hpp>

// clang-format off
#define MADRIGAL_PORT_FLOW_CTL_COUNTERS(field)                                                                         \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(std::uint32_t, xmit_flow_packets, "PortXmitFlowPkts", 32, 32, "flow control packets sent")                   \
    field(std::uint32_t, rcv_flow_packets, "PortRcvFlowPkts", 64, 32, "flow control packets received")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_flow_ctl_counters, "PortFlowCtlCounters", 0x0018,
    attribute_scope{management_class::performance}, 12, MADRIGAL_PORT_FLOW_CTL_COUNTERS);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS(field)                                                            \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(lane_counters8, errors, "PortVLXmitFlowCtlUpdateErrors", 32, 2, "late flow control on each virtual lane")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_vl_xmit_flow_ctl_update_errors, "PortVLXmitFlowCtlUpdateErrors", 0x001B,
    attribute_scope{management_class::performance}, 8, MADRIGAL_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_VL_XMIT_WAIT_COUNTERS(field)                                                                     \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port, 255 for all of them")                                  \
    field(std::uint16_t, counter_select, "CounterSelect", 16, 16, "counters that a Set writes, by bit", hexadecimal)   \
    field(lane_counters16, waits, "PortVLXmitWait", 32, 16, "ticks with data and no credit on each virtual lane")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_vl_xmit_wait_counters, "PortVLXmitWaitCounters", 0x001C,
    attribute_scope{management_class::performance}, 36, MADRIGAL_PORT_VL_XMIT_WAIT_COUNTERS);
} // namespace madrigal
