#include "capture/erf_header.hpp"

#include <madrigal/wire/bits.hpp>

#include <algorithm>

namespace madrigal {

std::array<std::byte, erf_header_size> erf_header(
    tap_direction direction, std::chrono::sys_time<std::chrono::nanoseconds> when, std::size_t size) noexcept
{
    constexpr std::uint64_t infiniband = 21;
    constexpr std::uint64_t varying_length = 0x04;
    std::array<std::byte, erf_header_size> header{};
    // Seconds and their fraction, as one number of 32 + 32 bits, least significant byte first; all else is the other
    // way round.
    auto const since = std::max(when.time_since_epoch(), std::chrono::nanoseconds::zero());
    auto const seconds = std::chrono::floor<std::chrono::seconds>(since);
    auto const fraction = (static_cast<std::uint64_t>((since - seconds).count()) << 32) / 1'000'000'000;
    auto const stamp = static_cast<std::uint64_t>(seconds.count()) << 32 | fraction;
    for (std::size_t i = 0; i != 8; ++i)
        header[i] = static_cast<std::byte>(stamp >> (8 * i));
    store_bits<64, 8>(header.data(), infiniband);
    store_bits<72, 8>(header.data(), varying_length | (direction == tap_direction::sent ? 0 : 1));
    store_bits<80, 16>(header.data(), erf_header_size + size); // with this header
    store_bits<112, 16>(header.data(), size);
    return header;
}

} // namespace madrigal
