// How each type of field is read from bits, written to them, and printed.
#pragma once

#include <madrigal/wire/bits.hpp>
#include <madrigal/wire/fixed_text.hpp>
#include <madrigal/wire/flags.hpp>
#include <madrigal/wire/numbers.hpp>
#include <madrigal/wire/types.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

namespace madrigal::detail {

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t Count>
inline constexpr bool is_std_array<std::array<T, Count>> = true;

/// Types that are one number of at most 64 bits: `Derived` says which number.
template <class T, class Derived, unsigned MaxWidth>
struct number_codec {
    static constexpr unsigned count = 1;
    template <unsigned Offset, unsigned Width>
    static constexpr bool fits = Width >= 1 && Width <= MaxWidth;

    template <unsigned Offset, unsigned Width>
    static constexpr void load(std::byte const* bytes, T& value) noexcept
    {
        value = Derived::from_number(load_bits<Offset, Width>(bytes));
    }
    template <unsigned Offset, unsigned Width>
    static constexpr void store(std::byte* bytes, T const& value) noexcept
    {
        store_bits<Offset, Width>(bytes, Derived::to_number(value));
    }
    static std::string text(T const& value, unsigned) { return std::string{to_string(value)}; }
};

template <class T>
struct field_codec; // no definition: this type cannot be a field

template <std::unsigned_integral T>
requires(!std::same_as<T, bool>) struct field_codec<T> : number_codec<T, field_codec<T>, 8 * sizeof(T)> {
    static constexpr T from_number(std::uint64_t number) noexcept { return static_cast<T>(number); }
    static constexpr std::uint64_t to_number(T value) noexcept { return value; }
    static std::string text(T const& value, unsigned hexadecimal_digits)
    {
        return hexadecimal_digits != 0 ? hexadecimal(value, hexadecimal_digits) : std::to_string(value);
    }
};

template <>
struct field_codec<bool> : number_codec<bool, field_codec<bool>, 1> {
    static constexpr bool from_number(std::uint64_t number) noexcept { return number != 0; }
    static constexpr std::uint64_t to_number(bool value) noexcept { return value ? 1 : 0; }
    static std::string text(bool value, unsigned) { return value ? "1" : "0"; }
};

template <class T>
requires(std::is_enum_v<T>&& std::unsigned_integral<std::underlying_type_t<T>>) struct field_codec<T>
    : number_codec<T, field_codec<T>, 8 * sizeof(T)> {
    static constexpr T from_number(std::uint64_t number) noexcept { return static_cast<T>(number); }
    static constexpr std::uint64_t to_number(T value) noexcept { return static_cast<std::uint64_t>(value); }
};

template <>
struct field_codec<guid> : number_codec<guid, field_codec<guid>, 64> {
    template <unsigned Offset, unsigned Width>
    static constexpr bool fits = Width == 64;
    static constexpr guid from_number(std::uint64_t number) noexcept { return guid{number}; }
    static constexpr std::uint64_t to_number(guid value) noexcept { return value.value(); }
};

template <>
struct field_codec<lid> : number_codec<lid, field_codec<lid>, 16> {
    template <unsigned Offset, unsigned Width>
    static constexpr bool fits = Width == 16;
    static constexpr lid from_number(std::uint64_t number) noexcept { return lid{static_cast<std::uint16_t>(number)}; }
    static constexpr std::uint64_t to_number(lid value) noexcept { return value.value(); }
};

template <class Bit>
struct field_codec<flags<Bit>>
    : number_codec<flags<Bit>, field_codec<flags<Bit>>, 8 * sizeof(typename flags<Bit>::value_type)> {
    static constexpr flags<Bit> from_number(std::uint64_t number) noexcept
    {
        return flags<Bit>::from_value(static_cast<typename flags<Bit>::value_type>(number));
    }
    static constexpr std::uint64_t to_number(flags<Bit> value) noexcept { return value.value(); }
};

/// Types that are a row of bytes: `Derived` gives and takes them as an array of one-byte values.
template <class T, class Derived, std::size_t Size>
struct bytes_codec {
    static constexpr unsigned count = 1;
    template <unsigned Offset, unsigned Width>
    static constexpr bool fits = Offset % 8 == 0 && Width == 8 * Size;

    template <unsigned Offset, unsigned Width>
    static constexpr void load(std::byte const* bytes, T& value) noexcept
    {
        typename Derived::bytes_type row{};
        for (std::size_t i = 0; i != Size; ++i)
            row[i] = static_cast<typename Derived::bytes_type::value_type>(bytes[Offset / 8 + i]);
        value = T{row};
    }
    template <unsigned Offset, unsigned Width>
    static constexpr void store(std::byte* bytes, T const& value) noexcept
    {
        auto const& row = Derived::row(value);
        for (std::size_t i = 0; i != Size; ++i)
            bytes[Offset / 8 + i] = static_cast<std::byte>(row[i]);
    }
    static std::string text(T const& value, unsigned) { return to_string(value); }
};

template <>
struct field_codec<gid> : bytes_codec<gid, field_codec<gid>, 16> {
    using bytes_type = gid::bytes_type;
    static constexpr bytes_type const& row(gid const& value) noexcept { return value.bytes(); }
};

template <std::size_t Size>
struct field_codec<fixed_text<Size>> : bytes_codec<fixed_text<Size>, field_codec<fixed_text<Size>>, Size> {
    using bytes_type = typename fixed_text<Size>::bytes_type;
    static constexpr bytes_type const& row(fixed_text<Size> const& value) noexcept { return value.bytes(); }
};

template <std::size_t Size>
struct field_codec<raw_bytes<Size>> : bytes_codec<raw_bytes<Size>, field_codec<raw_bytes<Size>>, Size> {
    using bytes_type = std::array<std::byte, Size>;
    static constexpr bytes_type const& row(raw_bytes<Size> const& value) noexcept { return value.bytes; }
};

/// Calls `visitor(bit, byte, element)` for each of `Count` elements of `Width` bits: the element begins `bit` bits, a
/// constant, after the byte. As many elements as end together with a byte are a group, and the groups a loop: as many
/// statements as there are elements would take the compiler longer than all the rest.
template <unsigned Offset, unsigned Width, std::size_t Count, class Visitor>
constexpr void for_each_element(Visitor visitor) noexcept
{
    constexpr std::size_t group = 8 / std::gcd(8U, Width);
    auto const visit = [&]<std::size_t... Index>(std::size_t first, std::index_sequence<Index...>)
    {
        (visitor(std::integral_constant<unsigned, Offset % 8 + Index * Width>{}, Offset / 8 + first * Width / 8,
             first + Index),
            ...);
    };
    std::size_t first = 0;
    for (; first + group <= Count; first += group)
        visit(first, std::make_index_sequence<group>{});
    if constexpr (Count % group != 0)
        visit(first, std::make_index_sequence<Count % group>{});
}

template <class T, std::size_t Count>
struct field_codec<std::array<T, Count>> {
    static constexpr unsigned count = Count;
    template <unsigned Offset, unsigned Width>
    static constexpr bool fits = field_codec<T>::template fits<Offset, Width>;

    template <unsigned Offset, unsigned Width>
    static constexpr void load(std::byte const* bytes, std::array<T, Count>& value) noexcept
    {
        for_each_element<Offset, Width, Count>([&](auto bit, std::size_t byte, std::size_t element) {
            field_codec<T>::template load<bit(), Width>(bytes + byte, value[element]);
        });
    }
    template <unsigned Offset, unsigned Width>
    static constexpr void store(std::byte* bytes, std::array<T, Count> const& value) noexcept
    {
        for_each_element<Offset, Width, Count>([&](auto bit, std::size_t byte, std::size_t element) {
            field_codec<T>::template store<bit(), Width>(bytes + byte, value[element]);
        });
    }
};

} // namespace madrigal::detail
