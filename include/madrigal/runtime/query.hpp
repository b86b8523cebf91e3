// What is asked of whom: an attribute, a destination, and for a Set the value.
#pragma once

#include <madrigal/runtime/destination.hpp>
#include <madrigal/wire/mad.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace madrigal {

/// A typed question; made by `get` and `set`. Its answer is an `Attribute`. Trivially destructible.
template <class Attribute>
struct query {
    destination to;
    method ask = method::get;
    std::uint32_t modifier = 0; ///< attribute modifier, host byte order
    Attribute value{};          ///< for a Set; zero for a Get
};

/// Get(Attribute) of whoever is at `to`.
template <class Attribute>
[[nodiscard]] constexpr query<Attribute> get(destination const& to, std::uint32_t modifier = 0) noexcept
{
    return query<Attribute>{to, method::get, modifier, Attribute{}};
}

/// Set(Attribute) to `value` at `to`.
template <class Attribute>
[[nodiscard]] constexpr query<Attribute> set(
    destination const& to, Attribute const& value, std::uint32_t modifier = 0) noexcept
{
    return query<Attribute>{to, method::set, modifier, value};
}

/// A MAD given byte by byte: all 256 of them, of which the lower half of the transaction id is overwritten for
/// requests.
struct raw_mad {
    destination to;
    std::array<std::byte, mad_size> bytes{};
};

/// A message of any length for an agent with RMPP: a MAD up to where its class's data begins, and the data behind it.
/// More than one MAD, and any GetMulti, goes by an RMPP transfer; the rest as one MAD, filled up with zeroes. The RMPP
/// header in it counts for nothing. Borrows the bytes, which are copied by the call that takes it.
struct raw_message {
    destination to;
    std::span<std::byte const> bytes;
};

} // namespace madrigal
