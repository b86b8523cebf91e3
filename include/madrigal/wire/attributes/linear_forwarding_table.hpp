// LinearForwardingTable (IBA 14.2.5.10): where a switch sends 64 LIDs. The attribute modifier is the block.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <array>
#include <cstdint>

namespace madrigal {

/// The port to leave by for each of 64 LIDs.
using forwarding_block = std::array<std::uint8_t, 64>;
/// The entry of a LID that the switch drops.
inline constexpr std::uint8_t no_route = 0xFF;

/// The block that holds the entry of a LID. The last block in use is that of SwitchInfo's LinearFDBTop.
[[nodiscard]] constexpr unsigned forwarding_block_of(lid destination) noexcept
{
    return destination.value() / 64U;
}
/// The place of a LID's entry in its block.
[[nodiscard]] constexpr unsigned forwarding_entry_of(lid destination) noexcept
{
    return destination.value() % 64U;
}

} // namespace madrigal

// clang-format off
#define MADRIGAL_LINEAR_FORWARDING_TABLE(field)                                                                        \
    field(forwarding_block, ports, "Port", 0, 8, "port to leave by for each LID, 255 for none")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(linear_forwarding_table, "LinearForwardingTable", 0x0019, subnet_management_scope, 64,
    MADRIGAL_LINEAR_FORWARDING_TABLE);
} // namespace madrigal
