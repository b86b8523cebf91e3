// What was measured, as a line of JSON and as a line to read.
#pragma once

#include "machine.hpp"
#include "meter.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace madrigal::bench {

/// The rounds of one peer.
class series {
public:
    void add(measured const& round)
    {
        rates_.push_back(round.rate());
        all_.merge(round);
    }
    /// Requests per second of each round.
    [[nodiscard]] std::vector<double> const& rates() const noexcept { return rates_; }
    /// All rounds together.
    [[nodiscard]] measured const& all() const noexcept { return all_; }

private:
    std::vector<double> rates_;
    measured all_;
};

/// The middle one; the mean of the middle two of an even number; 0 of none.
[[nodiscard]] double median(std::vector<double> values) noexcept;
/// The rates of one over those of the other, pair by pair of rounds; 0 where the other stood still.
[[nodiscard]] std::vector<double> ratios(series const& of, series const& to);

/// Where the load was run.
struct place {
    int socket_buffer = 0;       ///< SO_SNDBUF; 0 on a port
    unsigned socket_packets = 0; ///< that one direction holds
    std::string host{};          ///< URI; empty over a socket
    std::string port{};          ///< `rxe0 port 1`
    std::string to{};            ///< what was written to: `GID fe80::…`
    unsigned retries = 0;        ///< by the kernel
};

struct request_report {
    machine where;
    place on;
    load_options options;
    std::string mode = "coroutines"; ///< how the runtime's clients are written: `coroutines` or `handlers`
    series runtime;
    /// The other peers, each with as many rounds as the runtime.
    std::vector<std::pair<std::string, series>> others;
    /// Peers that cannot work here, and why.
    std::vector<std::pair<std::string, std::string>> absent;
};

/// One line of JSON, without the newline. Rates are medians over the rounds, latencies those of all rounds together;
/// the ratios are medians over the pairs of rounds.
[[nodiscard]] std::string to_json(request_report const& report);

/// The same in a few words, to be read: rates and ratios.
[[nodiscard]] std::string to_words(request_report const& report);

} // namespace madrigal::bench
