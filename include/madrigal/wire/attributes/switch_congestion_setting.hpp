// SwitchCongestionSetting and SwitchPortCongestionSetting (IBA A10.4.3): when a switch marks packets. The attribute
// modifier of the latter is the block of 32 ports.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <array>
#include <cstdint>

// clang-format off
#define MADRIGAL_SWITCH_CONGESTION_SETTING(field)                                                                      \
    field(std::uint32_t, control_map, "Control_Map", 0, 32,                                                            \
        "which of the fields a Set changes, from bit 0", hexadecimal)                                                  \
    field(raw_bytes<32>, victim_mask, "Victim_Mask", 32, 256,                                                          \
        "bit of each port that marks for itself as victim, port 0 the last")                                           \
    field(raw_bytes<32>, credit_mask, "Credit_Mask", 288, 256,                                                         \
        "bit of each port that marks when starved, port 0 the last")                                                   \
    field(std::uint8_t, threshold, "Threshold", 544, 4, "0 for never, 15 for the earliest")                            \
    field(std::uint8_t, packet_size, "Packet_Size", 552, 8, "smallest packet marked, in steps of 64 bytes")            \
    field(std::uint8_t, cs_threshold, "CS_Threshold", 560, 4, "threshold of ports starved of credit")                  \
    field(std::uint16_t, cs_return_delay, "CS_ReturnDelay", 576, 16,                                                   \
        "time until such a port gets credit", hexadecimal)                                                             \
    field(std::uint16_t, marking_rate, "Marking_Rate", 592, 16, "packets between two that are marked")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(switch_congestion_setting, "SwitchCongestionSetting", 0x0014,
    attribute_scope{management_class::congestion}, 76, MADRIGAL_SWITCH_CONGESTION_SETTING);
} // namespace madrigal

// clang-format off
#define MADRIGAL_SWITCH_PORT_CONGESTION(field)                                                                         \
    field(bool, valid, "Valid", 0, 1, "the element counts")                                                            \
    field(bool, credit_starvation, "Control_Type", 1, 1, "it is about starvation, not marking")                        \
    field(std::uint8_t, threshold, "Threshold", 4, 4, "0 for never, 15 for the earliest")                              \
    field(std::uint8_t, packet_size, "Packet_Size", 8, 8, "smallest packet marked, in steps of 64 bytes")              \
    field(std::uint16_t, parameter, "Cong_Parm_Marking_Rate", 16, 16, "packets between two that are marked")
// clang-format on

namespace madrigal {
/// The setting of one port.
MADRIGAL_LAYOUT(switch_port_congestion, "SwitchPortCongestionSettingElement", 4, MADRIGAL_SWITCH_PORT_CONGESTION);

using switch_port_congestions = std::array<switch_port_congestion, 32>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_SWITCH_PORT_CONGESTION_SETTING(field)                                                                 \
    field(switch_port_congestions, ports, "Element", 0, 32, "setting of each port of the block")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(switch_port_congestion_setting, "SwitchPortCongestionSetting", 0x0015,
    attribute_scope{management_class::congestion}, 128, MADRIGAL_SWITCH_PORT_CONGESTION_SETTING);
} // namespace madrigal
