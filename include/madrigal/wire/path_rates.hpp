// MTU, rate and life time of paths and groups: how links have them, and how requests wish for them.
#pragma once

#include <madrigal/wire/link.hpp>
#include <madrigal/wire/path_fields.hpp>
#include <madrigal/wire/port_fields.hpp>

#include <cstdint>
#include <optional>

namespace madrigal {

/// In tenths of Gb/s; 25 for 1x SDR (Linux: drivers/infiniband/core/sysfs.c, rate_show).
[[nodiscard]] unsigned rate_in_tenths(link_width width, link_speed speed) noexcept;
/// The rate of a link of this width and speed, or the next lower one that has a code.
[[nodiscard]] path_rate rate_of(link_width width, link_speed speed) noexcept;
/// Whether `a` is slower than `b`: the codes are not in order. Precondition: both have codes.
[[nodiscard]] bool is_slower(path_rate a, path_rate b) noexcept;

/// What a way that can do `found` is to be used with, if at all, where this is wished for: packets may be shorter than
/// they could be, and sent more slowly. A wish that has no code is never met.
[[nodiscard]] std::optional<mtu> chosen(mtu found, selector how, mtu wish) noexcept;
/// The same of rates.
[[nodiscard]] std::optional<path_rate> chosen(path_rate found, selector how, path_rate wish) noexcept;
/// The same of life times, where more than is needed may be promised.
[[nodiscard]] std::optional<std::uint8_t> chosen_life_time(
    std::uint8_t found, selector how, std::uint8_t wish) noexcept;

} // namespace madrigal
