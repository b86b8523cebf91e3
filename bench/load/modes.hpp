// What the program can be told to do.
#pragma once

#include "options.hpp"
#include "report.hpp"
#include "venue.hpp"

#include <vector>

namespace madrigal::bench {

/// `request`: closed loops, for each window. With producers, the same without them is another peer, `single`.
[[nodiscard]] result<std::vector<load_report>> run_request_mode(venue const& on, settings const& wanted);

/// `send`: sends that want no answer, as fast as possible or for each rate. Over the socket, all must arrive.
[[nodiscard]] result<std::vector<load_report>> run_send_mode(venue const& on, settings const& wanted);

/// `open`: open loops, for each rate. Shares are of the rate that `raw` reaches in a closed loop, which is measured
/// first.
[[nodiscard]] result<std::vector<load_report>> run_open_mode(venue const& on, settings const& wanted);

/// `request --outstanding N`: what a request costs while N others are outstanding, which the echo process holds,
/// compared with none but the window; and the memory of all of them. Prints one line of JSON. Over the socket only.
[[nodiscard]] result<void> run_outstanding_mode(venue const& on, settings const& wanted);

/// `table`: all that the targets of the hot path ask for, over the socket, as tables in Markdown.
[[nodiscard]] result<void> run_table_mode(venue const& on, settings const& wanted);

} // namespace madrigal::bench
