// The room's logger.
#pragma once

#include <spdlog/spdlog.h>

namespace madrigal::detail {

/// The logger named `madrigal.subnet`: the program's own where it has registered one under this name, else one that
/// writes warnings and worse to stderr.
[[nodiscard]] spdlog::logger& subnet_log();

} // namespace madrigal::detail
