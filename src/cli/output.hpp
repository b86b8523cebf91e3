// Where results go: stdout, or a file.
#pragma once

#include <madrigal/error.hpp>

#include <string>
#include <string_view>

namespace madrigal::cli {

/// Writes all of it to a descriptor, however many calls that takes. The errno of the first that fails.
[[nodiscard]] error_code write_all(int descriptor, std::string_view text) noexcept;

/// Writes results to stdout, or to a file where `path` is neither empty nor `-`. Gives an exit code: `failed_operation`
/// where not all of it could be written, with a word on stderr unless the reader simply has gone away.
[[nodiscard]] int write_results(std::string_view text, std::string const& path = {});

} // namespace madrigal::cli
