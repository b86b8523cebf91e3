// The line of JSON that tells what was measured.
#pragma once

#include "loops.hpp"
#include "machine.hpp"
#include "meter.hpp"

#include <string>
#include <vector>

namespace madrigal::bench {

/// The rounds of one loop.
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

struct request_report {
    machine where;
    load_options options;
    client_style style = client_style::coroutines;
    int socket_buffer = 0;       ///< SO_SNDBUF
    unsigned socket_packets = 0; ///< that one direction holds
    series runtime;
    series raw; ///< as many rounds as the runtime, each just before one of its; or none
};

/// One line of JSON, without the newline. Rates are medians over the rounds, latencies those of all rounds together;
/// the ratio is the median over the pairs of rounds.
[[nodiscard]] std::string to_json(request_report const& report);

} // namespace madrigal::bench
