// The rounds of one peer, and what is reckoned from them.
#pragma once

#include "stopwatch.hpp"

#include <vector>

namespace madrigal::bench {

/// The rounds of one peer.
class series {
public:
    void add(measured const& round)
    {
        rates_.push_back(round.rate());
        cpu_.push_back(round.cpu_microseconds());
        p99_.push_back(std::chrono::duration<double, std::micro>(round.latencies.percentile(0.99)).count());
        all_.merge(round);
    }
    /// Requests per second of each round.
    [[nodiscard]] std::vector<double> const& rates() const noexcept { return rates_; }
    /// Microseconds of CPU time for a request in each round.
    [[nodiscard]] std::vector<double> const& cpu() const noexcept { return cpu_; }
    /// The latency in microseconds that 99 of 100 requests do not exceed, in each round.
    [[nodiscard]] std::vector<double> const& p99() const noexcept { return p99_; }
    /// All rounds together.
    [[nodiscard]] measured const& all() const noexcept { return all_; }
    /// The latency in microseconds that `share` of all requests do not exceed.
    [[nodiscard]] double microseconds(double share) const noexcept
    {
        return std::chrono::duration<double, std::micro>(all_.latencies.percentile(share)).count();
    }

private:
    std::vector<double> rates_;
    std::vector<double> cpu_;
    std::vector<double> p99_;
    measured all_;
};

/// The middle one; the mean of the middle two of an even number; 0 of none.
[[nodiscard]] double median(std::vector<double> values) noexcept;
/// The rates of one over those of the other, pair by pair of rounds; 0 where the other stood still.
[[nodiscard]] std::vector<double> ratios(series const& of, series const& to);
/// Nanoseconds of CPU time that a request costs more: the median over the pairs of rounds.
[[nodiscard]] double extra_cpu_ns(series const& of, series const& than);
/// The 99th percentile of one's latencies over that of the other's: the median over the pairs of rounds.
[[nodiscard]] double p99_ratio(series const& of, series const& to);
/// CPU time of a request of one over that of the other's: the median over the pairs of rounds.
[[nodiscard]] double cpu_ratio(series const& of, series const& to);

} // namespace madrigal::bench
