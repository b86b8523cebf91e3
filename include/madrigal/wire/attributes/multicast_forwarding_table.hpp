// MulticastForwardingTable (IBA 14.2.5.12): where a switch sends 32 multicast LIDs, for 16 of its ports. The attribute
// modifier is the block in bits 0 to 8 and the position, which 16 ports they are, in bits 28 to 31.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <array>
#include <cstdint>

namespace madrigal {

/// For each of 32 multicast LIDs the ports to leave by: bit n is port 16 times the position and n.
using port_mask_block = std::array<std::uint16_t, 32>;

/// The block that holds the masks of a multicast LID.
[[nodiscard]] constexpr unsigned multicast_block_of(lid group) noexcept
{
    return (group.value() - 0xC000U) / 32;
}
/// The place of its mask in the block.
[[nodiscard]] constexpr unsigned multicast_entry_of(lid group) noexcept
{
    return group.value() % 32U;
}

} // namespace madrigal

// clang-format off
#define MADRIGAL_MULTICAST_FORWARDING_TABLE(field)                                                                     \
    field(port_mask_block, port_masks, "PortMask", 0, 16, "ports to leave by for each LID", hexadecimal)
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(multicast_forwarding_table, "MulticastForwardingTable", 0x001B, subnet_management_scope, 64,
    MADRIGAL_MULTICAST_FORWARDING_TABLE);
} // namespace madrigal
