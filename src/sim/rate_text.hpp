// A link's rate as sysfs shows it.
#pragma once

#include <madrigal/wire/link.hpp>

#include <string>

namespace madrigal::sim {

/// In tenths of Gb/s; 25 for 1x SDR (Linux: drivers/infiniband/core/sysfs.c, rate_show).
[[nodiscard]] unsigned rate_in_tenths(link_width width, link_speed speed) noexcept;
/// `100 Gb/sec (4X EDR)`
[[nodiscard]] std::string rate_text(link_width width, link_speed speed);

} // namespace madrigal::sim
