// The peers of one load, taking turns.
#pragma once

#include "options.hpp"
#include "peers.hpp"
#include "report.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace madrigal::bench {

struct contender {
    std::string name;
    bool is_runtime = false;
    std::function<result<measured>()> run;
};

struct contest {
    std::vector<contender> present;
    std::vector<std::pair<std::string, std::string>> absent; ///< and why
};

/// The peers that were asked for, in the order of `all_peers`; `what` is the kind of their runs. Both the venue and the
/// load must outlive the contest.
[[nodiscard]] contest line_up(
    venue const& on, std::vector<std::string> const& names, peer::run peer::*what, load_options const& load);

/// So many rounds, in each of which every contender has one run. Errors: that of the first run that failed, with whose
/// it was.
[[nodiscard]] result<std::vector<series>> alternate(contest const& of, unsigned rounds);

/// Completes the report with what came of a contest, once for each way in which the runtime was used; prints each as a
/// line of JSON, and on standard error as a line to read.
std::vector<load_report> print_results(load_report report, contest const& of, std::vector<series> const& rounds);

/// What all reports of a run have in common.
[[nodiscard]] load_report start_report(venue const& on, load_options const& load);

/// errc::invalid_argument for a window that the venue does not hold.
[[nodiscard]] result<void> check_window(venue const& on, unsigned window);

} // namespace madrigal::bench
