// Curves of what was measured, drawn by gnuplot.
#pragma once

#include "report.hpp"

#include <string>
#include <vector>

namespace madrigal::bench {

/// The script that makes gnuplot draw two panels into a file: latencies (p50 and p99, in an open loop p99.9 too) and
/// rates, over the window of a closed loop or else over the wanted rate; a colour for each peer. The reports are those
/// of one mode.
[[nodiscard]] std::string plot_script(std::vector<load_report> const& reports, std::string const& file);

/// Runs gnuplot on it. errc::invalid_argument for a file that does not end in .svg or .png; ENOENT where there is no
/// gnuplot, EIO where it fails, whose reason stands on standard error.
[[nodiscard]] result<void> plot(std::vector<load_report> const& reports, std::string const& file);

/// errc::invalid_argument for a file that cannot be drawn, ENOENT without gnuplot: before anything is measured.
[[nodiscard]] result<void> check_plot(std::string const& file);

} // namespace madrigal::bench
