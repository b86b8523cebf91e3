// A line of the console, taken apart.
#pragma once

#include <madrigal/error.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace madrigal::cli {

/// The words of a line: blanks separate them, quotes of either kind hold blanks together, `#` where a word might begin
/// starts a comment. The end of the line, also the one of DOS, counts as a blank. errc::invalid_argument for a quote
/// that does not end, and for bytes that no name has.
[[nodiscard]] result<std::vector<std::string>> words_of(std::string_view line);

} // namespace madrigal::cli
