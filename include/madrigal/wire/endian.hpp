// Integers in wire byte order that do not turn into host integers unasked.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace madrigal {

/// The bytes of `value` in the opposite order.
template <std::unsigned_integral T>
[[nodiscard]] constexpr T byte_swap(T value) noexcept
{
    if constexpr (sizeof(T) == 1)
        return value;
    else if constexpr (sizeof(T) == 2)
        return __builtin_bswap16(value);
    else if constexpr (sizeof(T) == 4)
        return __builtin_bswap32(value);
    else
        return __builtin_bswap64(value);
}

/// An integer held in network byte order, with the alignment of `T`. Reading and writing its value is always spelt out.
template <std::unsigned_integral T>
class big_endian {
public:
    constexpr big_endian() noexcept = default;
    constexpr explicit big_endian(T host_value) noexcept : raw_{to_big(host_value)} {}

    /// The value in host byte order.
    [[nodiscard]] constexpr T value() const noexcept { return to_big(raw_); }
    /// Takes a value in host byte order.
    constexpr void set(T host_value) noexcept { raw_ = to_big(host_value); }

    friend constexpr bool operator==(big_endian, big_endian) noexcept = default;

private:
    static constexpr T to_big(T value) noexcept
    {
        if constexpr (std::endian::native == std::endian::big)
            return value;
        else
            return byte_swap(value);
    }

    T raw_ = 0;
};

/// As they stand in MADs and umad headers.
using big_uint16 = big_endian<std::uint16_t>;
using big_uint32 = big_endian<std::uint32_t>;
using big_uint64 = big_endian<std::uint64_t>;

} // namespace madrigal
