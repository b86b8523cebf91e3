// The targets of the hot path and what this machine makes of them, as tables to print.
#pragma once

#include <string>
#include <vector>

namespace madrigal::bench {

/// A row: what was measured, and what is wanted of it.
struct target_row {
    std::string what;
    double figure = 0;
    double wanted = 0;
    bool at_least = true; ///< else at most
    int digits = 2;       ///< behind the point
    std::string unit{};

    [[nodiscard]] bool met() const noexcept { return at_least ? figure >= wanted : figure <= wanted; }
};

/// A table in Markdown: what, figure, target, and whether it is met.
[[nodiscard]] std::string to_markdown(std::vector<target_row> const& rows);

} // namespace madrigal::bench
