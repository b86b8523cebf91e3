// What madrigal-bench is told on its command line.
#pragma once

#include "meter.hpp"

#include <optional>
#include <string>
#include <vector>

namespace madrigal::bench {

struct settings {
    load_options load;                 ///< `load.window` is the first of `windows`
    std::vector<unsigned> windows{64}; ///< one line of results for each
    unsigned rounds = 5;               ///< of each peer, alternating
    std::vector<std::string> peers{};  ///< names, as all_peers() has them
    std::string host{};                ///< URI; empty: a socket to an echo process
    std::string ca{};                  ///< empty: any
    std::optional<unsigned> port{};    ///< none: any
};

/// What to do, or the exit code where there is nothing more to do: help was asked for and given, or the command line
/// was wrong and the reason is on standard error (2).
struct parsed {
    std::optional<settings> wanted{};
    int exit_code = 0;
};
[[nodiscard]] parsed parse(int argc, char const* const* argv);

} // namespace madrigal::bench
