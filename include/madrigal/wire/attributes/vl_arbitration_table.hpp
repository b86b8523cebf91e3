// VLArbitrationTable (IBA 14.2.5.9): a block of the weights by which virtual lanes share a link. The attribute modifier
// is the output port in bits 0 to 15 and the block in bits 16 to 31: 1 and 2 the low priority table, 3 and 4 the high
// one.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <array>
#include <cstdint>

// clang-format off
#define MADRIGAL_VL_ARBITRATION_ENTRY(field)                                                                           \
    field(std::uint8_t, vl,     "VL",     4, 4, "virtual lane whose turn it is")                                       \
    field(std::uint8_t, weight, "Weight", 8, 8, "how much it may send, in steps of 64 bytes; 0 skips the entry")
// clang-format on

namespace madrigal {
/// One turn of a virtual lane.
MADRIGAL_LAYOUT(vl_arbitration_entry, "VLArbitrationEntry", 2, MADRIGAL_VL_ARBITRATION_ENTRY);

using vl_arbitration_block = std::array<vl_arbitration_entry, 32>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_VL_ARBITRATION_TABLE(field)                                                                           \
    field(vl_arbitration_block, entries, "VLWeight", 0, 16, "turns, in their order")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(
    vl_arbitration_table, "VLArbitrationTable", 0x0018, subnet_management_scope, 64, MADRIGAL_VL_ARBITRATION_TABLE);
} // namespace madrigal
