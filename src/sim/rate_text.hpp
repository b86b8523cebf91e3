// A link's rate as sysfs shows it.
#pragma once

#include <madrigal/wire/link.hpp>

#include <string>

namespace madrigal::sim {

/// `100 Gb/sec (4X EDR)`
[[nodiscard]] std::string rate_text(link_width width, link_speed speed);

} // namespace madrigal::sim
