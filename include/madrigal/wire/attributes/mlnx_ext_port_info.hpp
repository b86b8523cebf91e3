// MlnxExtPortInfo, a vendor's attribute: tells FDR10, which PortInfo cannot. The attribute modifier is the port.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/port_fields.hpp>

// clang-format off
#define MADRIGAL_MLNX_EXT_PORT_INFO(field)                                                                             \
    field(std::uint8_t,        state_change_enable,  "StateChangeEnable",  24, 8,                                      \
        "which of the fields a Set changes", hexadecimal)                                                              \
    field(flags<vendor_speed>, link_speed_supported, "LinkSpeedSupported", 56, 8, "vendor's speeds the port has")      \
    field(flags<vendor_speed>, link_speed_enabled,   "LinkSpeedEnabled",   88, 8, "vendor's speeds the port may use")  \
    field(flags<vendor_speed>, link_speed_active,    "LinkSpeedActive",   120, 8, "vendor's speed in use, 0 for none")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(
    mlnx_ext_port_info, "MlnxExtPortInfo", 0xFF90, subnet_management_scope, 16, MADRIGAL_MLNX_EXT_PORT_INFO);
} // namespace madrigal
