// SLtoVLMappingTable (IBA 14.2.5.8): the virtual lane of each service level. The attribute modifier is the output
// port in bits 0 to 7 and, on a switch, the input port in bits 8 to 15.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <array>
#include <cstdint>

namespace madrigal {
/// The virtual lane for each of 16 service levels; 15 drops the packet.
using vl_of_sl = std::array<std::uint8_t, 16>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_SL_TO_VL_MAPPING_TABLE(field)                                                                         \
    field(vl_of_sl, vls, "SLtoVL", 0, 4, "virtual lane of each service level, 15 to drop")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(
    sl_to_vl_mapping_table, "SLtoVLMappingTable", 0x0017, subnet_management_scope, 8, MADRIGAL_SL_TO_VL_MAPPING_TABLE);
} // namespace madrigal
