// P_Key tables and who may talk to whom (IBA 10.9).
#pragma once

#include <sim/node.hpp>

#include <madrigal/wire/p_key.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace madrigal::sim {

/// Entries of the P_Key table of an end port, and of a switch's external port; whole blocks of 32.
inline constexpr std::size_t end_port_p_keys = 128;
inline constexpr std::size_t switch_port_p_keys = 32;

/// Entry `index` of a port's table; 0 where nothing was set.
[[nodiscard]] inline std::uint16_t p_key_at(port const& of, std::size_t index) noexcept
{
    if (of.p_keys.empty())
        return index == 0 ? default_p_key : std::uint16_t{0};
    return index < of.p_keys.size() ? of.p_keys[index] : std::uint16_t{0};
}

/// The port's table; an untouched one has the default alone.
[[nodiscard]] inline std::span<std::uint16_t const> p_keys_of(port const& of) noexcept
{
    static constexpr std::uint16_t untouched[] = {default_p_key};
    return of.p_keys.empty() ? std::span<std::uint16_t const>{untouched} : of.p_keys;
}

/// True where the port's table has a key that matches.
[[nodiscard]] inline bool holds_p_key(port const& of, std::uint16_t key) noexcept
{
    return madrigal::holds_p_key(p_keys_of(of), key);
}

/// The entry through which a received key is accepted, as a kernel reports it; 0 where there is none.
[[nodiscard]] inline std::uint16_t p_key_index_of(port const& of, std::uint16_t key) noexcept
{
    auto const found =
        std::find_if(of.p_keys.begin(), of.p_keys.end(), [&](auto one) { return p_keys_match(one, key); });
    return found == of.p_keys.end() ? std::uint16_t{0} : static_cast<std::uint16_t>(found - of.p_keys.begin());
}

} // namespace madrigal::sim
