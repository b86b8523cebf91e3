// SMInfo (IBA 14.2.5.13): who manages the subnet, and who would.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/sm_state.hpp>

// clang-format off
#define MADRIGAL_SM_INFO(field)                                                                                        \
    field(guid,          port_guid,      "GUID",       0, 64, "port where the SM lives")                               \
    field(std::uint64_t, sm_key,         "SM_Key",    64, 64,                                                          \
        "key between SMs; 0 in an answer to who may not see it", hexadecimal)                                          \
    field(std::uint32_t, activity_count, "ActCount", 128, 32, "goes up while the SM works")                            \
    field(std::uint8_t,  priority,       "Priority", 160,  4, "15 is the highest")                                     \
    field(sm_state,      state,          "SMState",  164,  4, "state of the SM")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(sm_info, "SMInfo", 0x0020, subnet_management_scope, 21, MADRIGAL_SM_INFO);
} // namespace madrigal
