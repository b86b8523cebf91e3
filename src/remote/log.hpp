// The room's logger.
#pragma once

#include <spdlog/spdlog.h>

namespace madrigal::remote {

/// The logger named `madrigal.remote`: the program's own where it has registered one under this name, else one that
/// writes warnings and worse to stderr.
[[nodiscard]] spdlog::logger& log();

} // namespace madrigal::remote
