// What madrigal-bench is told on its command line.
#pragma once

#include "meter.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace madrigal::bench {

enum class mode : std::uint8_t { request, send, open, table };

struct settings {
    bench::mode mode = mode::request;
    load_options load;                ///< `load.window` is the first of `windows`
    std::vector<unsigned> windows{};  ///< one line of results for each
    std::vector<double> rates{};      ///< sends or requests a second, likewise
    std::vector<double> shares{};     ///< rates as shares of the floor's peak, where there are no `rates`
    unsigned rounds = 5;              ///< of each peer, alternating
    unsigned outstanding = 0;         ///< held by the echo process besides the window
    std::vector<std::string> peers{}; ///< names, as all_peers() has them
    std::string host{};               ///< URI; empty: a socket to an echo process
    std::string ca{};                 ///< empty: any
    std::optional<unsigned> port{};   ///< none: any
    std::string plot{};               ///< file to draw into; empty: none
};

/// What to do, or the exit code where there is nothing more to do: help was asked for and given, or the command line
/// was wrong and the reason is on standard error (2).
struct parsed {
    std::optional<settings> wanted{};
    int exit_code = 0;
};
[[nodiscard]] parsed parse(int argc, char const* const* argv);

} // namespace madrigal::bench
