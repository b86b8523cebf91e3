// CongestionInfo, CongestionKeyInfo and TimeStamp (IBA A10.4.3): what a node can about congestion, and who may ask.
#pragma once

#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_CONGESTION_INFO(field)                                                                                \
    field(std::uint16_t, features, "CongestionInfo", 0, 16, "bit 0: the switch knows credit starvation", hexadecimal)  \
    field(std::uint8_t, control_table_cap, "ControlTableCap", 16, 8,                                                   \
        "64-entry blocks of the congestion control table of a CA")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(congestion_info, "CongestionInfo", 0x0011, attribute_scope{management_class::congestion}, 4,
    MADRIGAL_CONGESTION_INFO);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CONGESTION_KEY_INFO(field)                                                                            \
    field(std::uint64_t, cc_key, "CC_Key", 0, 64,                                                                      \
        "congestion control key; 0 in an answer to who may not see it", hexadecimal)                                   \
    field(bool, protect, "CC_KeyProtectBit", 64, 1, "the key is hidden from who does not know it")                     \
    field(std::uint16_t, lease_period, "CC_KeyLeasePeriod", 80, 16,                                                    \
        "seconds until a violated key is forgotten, 0 for never")                                                      \
    field(std::uint16_t, violations, "CC_KeyViolations", 96, 16, "MADs with a wrong key")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(congestion_key_info, "CongestionKeyInfo", 0x0012, attribute_scope{management_class::congestion}, 14,
    MADRIGAL_CONGESTION_KEY_INFO);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CONGESTION_TIME_STAMP(field)                                                                          \
    field(std::uint32_t, value, "Timestamp", 0, 32, "clock of the congestion log, in steps of 1.024 us")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(congestion_time_stamp, "TimeStamp", 0x0018, attribute_scope{management_class::congestion}, 4,
    MADRIGAL_CONGESTION_TIME_STAMP);
} // namespace madrigal
