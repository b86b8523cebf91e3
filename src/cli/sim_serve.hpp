// `madrigal sim serve`: one simulated fabric for many processes.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace madrigal::cli {

/// Adds `serve`; what comes back runs it.
[[nodiscard]] std::function<int()> add_sim_serve(CLI::App& sim);

} // namespace madrigal::cli
