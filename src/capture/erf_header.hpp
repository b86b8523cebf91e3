// The header that Endace's Extensible Record Format puts before each packet, as Wireshark documents it.
#pragma once

#include <madrigal/runtime/packet_tap.hpp>

#include <array>
#include <cstddef>

namespace madrigal {

inline constexpr std::size_t erf_header_size = 16;

/// For an InfiniBand packet of `size` bytes, LRH to VCRC. What is sent is on capture interface 0 and what is received
/// on 1, which Wireshark calls ports A and B.
[[nodiscard]] std::array<std::byte, erf_header_size> erf_header(
    tap_direction direction, std::chrono::sys_time<std::chrono::nanoseconds> when, std::size_t size) noexcept;

} // namespace madrigal
