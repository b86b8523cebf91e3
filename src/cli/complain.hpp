// Everything the program says besides its results: one line each, on stderr.
#pragma once

#include <madrigal/error.hpp>

#include <string_view>

namespace madrigal::cli {

/// `madrigal: …` and the end of the line. Control characters come as `\xNN`, since messages may hold what a file or a
/// node said.
void complain(std::string_view message);
/// An error's message; where there is no InfiniBand, also how to do without. Returns
/// `wrong_usage` for a host URI that cannot be understood, else `failed_operation`.
[[nodiscard]] int fail(error const& what);

} // namespace madrigal::cli
