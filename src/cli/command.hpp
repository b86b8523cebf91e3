// A command of the program: what it takes, and what it does.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace madrigal::cli {

struct command {
    CLI::App* arguments; ///< parsed() once the user has named this command
    std::function<int()> run;
};

/// Each adds one command to the program's.
[[nodiscard]] command ports_command(CLI::App& program);
[[nodiscard]] command discover_command(CLI::App& program);
[[nodiscard]] command query_command(CLI::App& program);
[[nodiscard]] command sa_command(CLI::App& program);
[[nodiscard]] command ping_command(CLI::App& program);
[[nodiscard]] command perf_command(CLI::App& program);
/// `words`: the program to run and its arguments, as they stand behind `--`; CLI11 would take those in brackets apart.
[[nodiscard]] command run_command(CLI::App& program, std::vector<std::string> words);
[[nodiscard]] command sim_command(CLI::App& program);

} // namespace madrigal::cli
