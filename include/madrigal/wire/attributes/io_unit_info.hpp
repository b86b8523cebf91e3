// IOUnitInfo (IBA 16.3.3.3): which I/O controllers a unit has.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace madrigal {

/// What stands in a slot of an I/O unit.
enum class io_slot : std::uint8_t {
    not_installed = 0,
    installed = 1,
    no_slot = 15,
};
/// `NotInstalled`, `Installed`, `NoSlot`; a number for anything else.
[[nodiscard]] std::string to_string(io_slot value);

/// Slot 1 first.
using io_slots = std::array<io_slot, 256>;

} // namespace madrigal

// clang-format off
#define MADRIGAL_IO_UNIT_INFO(field)                                                                                   \
    field(std::uint16_t, change_id,       "Change_ID",       0, 16, "grows when the list changes")                     \
    field(std::uint8_t,  max_controllers, "MaxControllers", 16,  8, "slots")                                           \
    field(bool,          diag_device_id,  "DiagDeviceID",   30,  1, "the unit can be diagnosed")                       \
    field(bool,          option_rom,      "OptionROM",      31,  1, "it has an option ROM")                            \
    field(io_slots,      controllers,     "Controller",     32,  4, "what stands in each slot")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(io_unit_info, "IOUnitInfo", 0x0010, attribute_scope{management_class::device_management}, 132,
    MADRIGAL_IO_UNIT_INFO);
} // namespace madrigal
