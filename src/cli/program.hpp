// The command line as a whole.
#pragma once

namespace madrigal::cli {

/// Reads the command line, runs the command that it names, and gives the process's exit code (exit_code.hpp).
[[nodiscard]] int run_program(int argc, char const* const* argv);

} // namespace madrigal::cli
