// SwitchInfoRecord (IBA 15.2.5.5): what a switch can.
#pragma once

#include <madrigal/wire/attributes/switch_info.hpp>
#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_SWITCH_INFO_RECORD(field)                                                                             \
    field(lid,         base_lid, "LID",         0,  16, "LID of the switch")                                           \
    field(switch_info, info,     "SwitchInfo", 32, 160, "what it can")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(switch_info_record, "SwitchInfoRecord", 0x0014,
    attribute_scope{management_class::subnet_administration}, 24, MADRIGAL_SWITCH_INFO_RECORD);
} // namespace madrigal
