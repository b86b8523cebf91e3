// LedInfo (IBA 14.2.5.15): the lamp by which people find a port.
#pragma once

#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_LED_INFO(field)                                                                                       \
    field(bool, lit, "LedMask", 0, 1, "the lamp is on")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(led_info, "LedInfo", 0x0031, subnet_management_scope, 4, MADRIGAL_LED_INFO);
} // namespace madrigal
