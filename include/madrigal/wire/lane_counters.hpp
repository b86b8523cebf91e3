// Rows of counters, one for each virtual lane or each service level.
#pragma once

#include <array>
#include <cstdint>

namespace madrigal {

using lane_counters8 = std::array<std::uint8_t, 16>;
using lane_counters16 = std::array<std::uint16_t, 16>;
using lane_counters32 = std::array<std::uint32_t, 16>;
using lane_counters64 = std::array<std::uint64_t, 16>;

} // namespace madrigal
