// P_Keys: partitions, and who may talk to whom (IBA 10.9).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace madrigal {

/// What stands in entry 0 of a port's table until somebody sets it: the default partition, full member.
inline constexpr std::uint16_t default_p_key = 0xFFFF;

/// True where two keys (host byte order) name the same partition and at least one of them is of a full member (IBA
/// 10.9.3). Partition 0 is none.
[[nodiscard]] constexpr bool p_keys_match(std::uint16_t a, std::uint16_t b) noexcept
{
    return (a & 0x7FFF) == (b & 0x7FFF) && (a & 0x7FFF) != 0 && ((a | b) & 0x8000) != 0;
}

/// True where a table (host byte order, 0 for empty entries) has a key that matches.
[[nodiscard]] constexpr bool holds_p_key(std::span<std::uint16_t const> table, std::uint16_t key) noexcept
{
    return std::any_of(table.begin(), table.end(), [&](auto one) { return p_keys_match(one, key); });
}

} // namespace madrigal
