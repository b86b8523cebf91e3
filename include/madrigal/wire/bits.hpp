// Bit fields in network order, at any offset and of any width up to 64.
#pragma once

#include <madrigal/wire/endian.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace madrigal {

/// The lowest `width` bits set; `width` is 0 to 64.
[[nodiscard]] constexpr std::uint64_t low_bits(unsigned width) noexcept
{
    return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// The `width` bits (1 to 64) that start `offset` bits after the most significant bit of the first byte, as the IBA
/// tables count them. `bytes` must hold them all.
[[nodiscard]] constexpr std::uint64_t load_bits(std::byte const* bytes, unsigned offset, unsigned width) noexcept
{
    std::uint64_t value = 0;
    while (width != 0) {
        unsigned const skipped = offset % 8;
        unsigned const taken = width < 8 - skipped ? width : 8 - skipped;
        auto const part = std::to_integer<unsigned>(bytes[offset / 8]) >> (8 - skipped - taken);
        value = value << taken | (part & low_bits(taken));
        offset += taken;
        width -= taken;
    }
    return value;
}

/// The reverse of `load_bits`: writes the lowest `width` bits of `value` and leaves all other bits as they are.
constexpr void store_bits(std::byte* bytes, unsigned offset, unsigned width, std::uint64_t value) noexcept
{
    while (width != 0) {
        unsigned const skipped = offset % 8;
        unsigned const taken = width < 8 - skipped ? width : 8 - skipped;
        unsigned const shift = 8 - skipped - taken;
        auto const mask = static_cast<std::byte>(low_bits(taken) << shift);
        auto const part = static_cast<std::byte>((value >> (width - taken) & low_bits(taken)) << shift);
        bytes[offset / 8] = (bytes[offset / 8] & ~mask) | part;
        offset += taken;
        width -= taken;
    }
}

namespace detail {

/// The unsigned integer of exactly `Width` bits; void where there is none.
template <unsigned Width>
using exact_unsigned = std::conditional_t<Width == 8, std::uint8_t,
    std::conditional_t<Width == 16, std::uint16_t,
        std::conditional_t<Width == 32, std::uint32_t, std::conditional_t<Width == 64, std::uint64_t, void>>>>;

template <unsigned Offset, unsigned Width>
inline constexpr bool is_whole_integer = Offset % 8 == 0 && !std::is_void_v<exact_unsigned<Width>>;

template <class Integer>
[[nodiscard]] constexpr Integer between_host_and_network(Integer value) noexcept
{
    if constexpr (std::endian::native == std::endian::big)
        return value;
    else
        return byte_swap(value);
}

} // namespace detail

/// `load_bits` with offset and width known to the compiler: one load and one swap for whole bytes.
template <unsigned Offset, unsigned Width>
[[nodiscard]] constexpr std::uint64_t load_bits(std::byte const* bytes) noexcept
{
    if constexpr (detail::is_whole_integer<Offset, Width>) {
        if (!std::is_constant_evaluated()) {
            detail::exact_unsigned<Width> value;
            std::memcpy(&value, bytes + Offset / 8, sizeof value);
            return detail::between_host_and_network(value);
        }
    }
    return load_bits(bytes, Offset, Width);
}

/// `store_bits` with offset and width known to the compiler.
template <unsigned Offset, unsigned Width>
constexpr void store_bits(std::byte* bytes, std::uint64_t value) noexcept
{
    if constexpr (detail::is_whole_integer<Offset, Width>) {
        if (!std::is_constant_evaluated()) {
            auto const swapped = detail::between_host_and_network(static_cast<detail::exact_unsigned<Width>>(value));
            std::memcpy(bytes + Offset / 8, &swapped, sizeof swapped);
            return;
        }
    }
    store_bits(bytes, Offset, Width, value);
}

} // namespace madrigal
