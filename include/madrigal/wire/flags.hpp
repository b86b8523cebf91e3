// Sets of named bits, such as CapabilityMask.
#pragma once

#include <madrigal/wire/numbers.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

namespace madrigal {

/// A set of the bits that `Bit` names. Bits without a name are kept, since a newer device may set them. `Bit` is an
/// enumeration of single bits with an unsigned underlying type and, to be printed, a `to_string`.
template <class Bit>
requires std::is_enum_v<Bit>
class flags {
public:
    using value_type = std::underlying_type_t<Bit>;
    static_assert(std::unsigned_integral<value_type>);

    constexpr flags() noexcept = default;
    /// `flags<link_width>{link_width::x1, link_width::x4}`
    template <std::same_as<Bit>... More>
    constexpr flags(Bit first, More... more) noexcept // NOLINT: one bit is a set of one
        : value_{static_cast<value_type>((static_cast<value_type>(first) | ... | static_cast<value_type>(more)))}
    {}
    /// All bits as a number in host byte order.
    [[nodiscard]] static constexpr flags from_value(value_type value) noexcept
    {
        flags result;
        result.value_ = value;
        return result;
    }

    /// All bits as a number in host byte order.
    [[nodiscard]] constexpr value_type value() const noexcept { return value_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return value_ == 0; }
    /// True if the bit is in the set.
    [[nodiscard]] constexpr bool has(Bit bit) const noexcept
    {
        return (value_ & static_cast<value_type>(bit)) == static_cast<value_type>(bit);
    }
    /// Puts the bit into the set, or takes it out.
    constexpr void set(Bit bit, bool on = true) noexcept
    {
        auto const mask = static_cast<value_type>(bit);
        value_ = static_cast<value_type>(on ? value_ | mask : value_ & ~mask);
    }

    friend constexpr flags operator|(flags a, flags b) noexcept
    {
        return from_value(static_cast<value_type>(a.value_ | b.value_));
    }
    friend constexpr flags operator&(flags a, flags b) noexcept
    {
        return from_value(static_cast<value_type>(a.value_ & b.value_));
    }
    friend constexpr bool operator==(flags, flags) noexcept = default;

private:
    value_type value_ = 0;
};

/// `0x03 (1x, 4x)`: the number, then each bit that is set as its own `to_string` prints it.
template <class Bit>
[[nodiscard]] std::string to_string(flags<Bit> set)
{
    using value_type = typename flags<Bit>::value_type;
    std::string text = hexadecimal(set.value(), 2 * sizeof(value_type));
    char const* separator = " (";
    for (value_type rest = set.value(); rest != 0; rest = static_cast<value_type>(rest & (rest - 1))) {
        auto const bit = static_cast<value_type>(value_type{1} << std::countr_zero(rest));
        text += separator;
        text += to_string(static_cast<Bit>(bit));
        separator = ", ";
    }
    if (!set.empty())
        text += ')';
    return text;
}

} // namespace madrigal
