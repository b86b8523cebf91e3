// P_KeyTable (IBA 14.2.5.7): a block of a port's partition keys. The attribute modifier is the block and, for a
// switch's external port, the port in the upper 16 bits.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <array>
#include <cstdint>

namespace madrigal {
/// 32 partition keys: the top bit says full member, the rest is the partition, 0 for a free entry.
using p_key_block = std::array<std::uint16_t, 32>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_P_KEY_TABLE(field)                                                                                    \
    field(p_key_block, p_keys, "P_Key", 0, 16, "partition keys, the top bit for full members", hexadecimal)
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(p_key_table, "P_KeyTable", 0x0016, subnet_management_scope, 64, MADRIGAL_P_KEY_TABLE);
} // namespace madrigal
