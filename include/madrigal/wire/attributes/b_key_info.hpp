// B_KeyInfo (IBA 16.2.3): who may manage a baseboard.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <cstdint>

// clang-format off
#define MADRIGAL_B_KEY_INFO(field)                                                                                     \
    field(std::uint64_t, b_key, "B_Key", 0, 64, "baseboard key; 0 in an answer to who may not see it", hexadecimal)    \
    field(bool, protect, "B_KeyProtectBit", 64, 1, "the key is hidden from who does not know it")                      \
    field(std::uint16_t, lease_period, "B_KeyLeasePeriod", 80, 16,                                                     \
        "seconds until a violated key is forgotten, 0 for never")                                                      \
    field(std::uint16_t, violations, "B_KeyViolations", 96, 16, "MADs with a wrong key")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(
    b_key_info, "B_KeyInfo", 0x0010, attribute_scope{management_class::baseboard}, 14, MADRIGAL_B_KEY_INFO);
} // namespace madrigal
