// The loggers of the rooms.
#pragma once

#include <spdlog/spdlog.h>

#include <memory>

namespace madrigal::detail {

/// The program's own logger of this name where it has registered one, else one that writes warnings and worse to
/// stderr.
[[nodiscard]] std::shared_ptr<spdlog::logger> room_logger(char const* name);

} // namespace madrigal::detail
