// What was measured of one load, as a line of JSON and as a line to read.
#pragma once

#include "json.hpp"
#include "machine.hpp"
#include "meter.hpp"
#include "series.hpp"

#include <string>
#include <utility>
#include <vector>

namespace madrigal::bench {

struct load_report {
    std::string benchmark = "request"; ///< `request`, `send` or `open`
    machine where;
    place on;
    load_options options;
    std::string mode = "coroutines"; ///< how the runtime's clients are written: `coroutines` or `handlers`
    series runtime;
    /// The other peers, and the runtime used otherwise; each with as many rounds as the runtime.
    std::vector<std::pair<std::string, series>> others;
    /// Peers that cannot work here, and why.
    std::vector<std::pair<std::string, std::string>> absent;
};

/// One line of JSON, without the newline. Rates are medians over the rounds, latencies those of all rounds together;
/// the ratios and the extra CPU time are medians over the pairs of rounds.
[[nodiscard]] std::string to_json(load_report const& report);

/// The same in a few words, to be read: rates and ratios.
[[nodiscard]] std::string to_words(load_report const& report);

} // namespace madrigal::bench
