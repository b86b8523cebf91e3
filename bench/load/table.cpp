#include "table.hpp"

#include <fmt/format.h>

namespace madrigal::bench {

std::string to_markdown(std::vector<target_row> const& rows)
{
    std::string text = "| what | measured | target | |\n| --- | ---: | ---: | --- |\n";
    for (auto const& row : rows)
        text += fmt::format("| {} | {:.{}f}{} | {} {:.{}f}{} | {} |\n", row.what, row.figure, row.digits, row.unit,
            row.at_least ? "≥" : "≤", row.wanted, row.digits, row.unit, row.met() ? "met" : "missed");
    return text;
}

} // namespace madrigal::bench
