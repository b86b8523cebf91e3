// What a request costs while many others are outstanding.
#pragma once

#include "options.hpp"
#include "report.hpp"
#include "venue.hpp"

#include <string>
#include <utility>
#include <vector>

namespace madrigal::bench {

/// One peer with none but its window outstanding, and with all the others besides.
struct outstanding_costs {
    std::string name;
    bool is_runtime = false;
    series few;
    series many;

    /// CPU time of a request with many over that with few: the median over the pairs of rounds.
    [[nodiscard]] double cost_ratio() const;
    /// Bytes of heap for each of `count` outstanding requests.
    [[nodiscard]] double bytes_each(unsigned count) const noexcept;
};

struct outstanding_report {
    machine where;
    place on;
    load_options options;     ///< with the window that is on the wire
    unsigned outstanding = 0; ///< besides
    std::vector<outstanding_costs> peers;
    std::vector<std::pair<std::string, std::string>> absent;
};

/// Measures it over a socket; prints nothing.
[[nodiscard]] result<outstanding_report> measure_outstanding(venue const& on, settings const& wanted);

[[nodiscard]] std::string to_json(outstanding_report const& report);
[[nodiscard]] std::string to_words(outstanding_report const& report);

} // namespace madrigal::bench
