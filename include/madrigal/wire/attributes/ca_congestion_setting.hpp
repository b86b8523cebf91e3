// CACongestionSetting and CongestionControlTable (IBA A10.4.3): how a CA slows down. The attribute modifier of the
// latter is the block of 64 entries.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <array>
#include <cstdint>

// clang-format off
#define MADRIGAL_CA_CONGESTION_ENTRY(field)                                                                            \
    field(std::uint16_t, ccti_timer, "CCTI_Timer", 0, 16, "time until the index falls by 1, in steps of 1.024 us")     \
    field(std::uint8_t, ccti_increase, "CCTI_Increase", 16, 8, "how the index grows for each BECN")                    \
    field(std::uint8_t, trigger_threshold, "Trigger_Threshold", 24, 8, "index that makes an event of the log")         \
    field(std::uint8_t, ccti_min, "CCTI_Min", 32, 8, "least index")
// clang-format on

namespace madrigal {
/// The setting of one service level.
MADRIGAL_LAYOUT(ca_congestion_entry, "CACongestionEntry", 8, MADRIGAL_CA_CONGESTION_ENTRY);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CONGESTION_CONTROL_ENTRY(field)                                                                       \
    field(std::uint8_t,  shift,      "CCT_Shift",      0,  2, "power of 2 that the multiplier is shifted by")          \
    field(std::uint16_t, multiplier, "CCT_Multiplier", 2, 14, "delay between packets")
// clang-format on

namespace madrigal {
/// One injection delay.
MADRIGAL_LAYOUT(congestion_control_entry, "CongestionControlTableEntry", 2, MADRIGAL_CONGESTION_CONTROL_ENTRY);

/// One for each service level.
using ca_congestion_entries = std::array<ca_congestion_entry, 16>;
using congestion_control_entries = std::array<congestion_control_entry, 64>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_CA_CONGESTION_SETTING(field)                                                                          \
    field(std::uint16_t, port_control, "Port_Control", 0, 16,                                                          \
        "bit 0: by service level, not by queue pair", hexadecimal)                                                     \
    field(std::uint16_t, control_map, "Control_Map", 16, 16,                                                           \
        "bit of each service level that a Set changes", hexadecimal)                                                   \
    field(ca_congestion_entries, service_levels, "Entry", 32, 64, "setting of each service level")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(ca_congestion_setting, "CACongestionSetting", 0x0016, attribute_scope{management_class::congestion},
    132, MADRIGAL_CA_CONGESTION_SETTING);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CONGESTION_CONTROL_TABLE(field)                                                                       \
    field(std::uint16_t,              ccti_limit, "CCTI_Limit",  0, 16, "largest index in use")                        \
    field(congestion_control_entries, entries,    "Entry",      32, 16, "delays")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(congestion_control_table, "CongestionControlTable", 0x0017,
    attribute_scope{management_class::congestion}, 132, MADRIGAL_CONGESTION_CONTROL_TABLE);
} // namespace madrigal
