// `madrigal sim generate`: fabrics that are computed, as files for `--host sim:FILE`.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace madrigal::cli {

/// Adds `generate` with a command for each shape; what comes back runs the one that was named.
[[nodiscard]] std::function<int()> add_sim_generate(CLI::App& sim);

} // namespace madrigal::cli
