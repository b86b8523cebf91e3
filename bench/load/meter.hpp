// What one run of a peer is to do, and the count of what comes of it.
#pragma once

#include "stopwatch.hpp"

#include <madrigal/error.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace madrigal::bench {

struct load_options {
    unsigned window = 64;                     ///< requests outstanding at a time
    std::uint64_t requests = 200'000;         ///< answers that are measured
    std::optional<double> seconds{};          ///< how long is measured, instead of a number of answers
    std::chrono::milliseconds timeout{1'000}; ///< of each transmission; over a socket the run has failed then
    unsigned retries = 0;                     ///< how often a port's kernel sends a request again
    std::uint64_t warm_up = 20'000;           ///< answers before the measurement
    double rate = 0;                          ///< sends a second; 0: as fast as possible
    unsigned producers = 0;                   ///< threads that submit to the runtime; 0: its loop does
    bool weigh = false;                       ///< measures the memory of what is outstanding
    std::function<void()> at_end{};           ///< called when enough has been measured and some is outstanding yet
};

/// Counts the answers of one run and decides when the measurement begins and ends. All loops report to it in the same
/// way, with one look at the clock for each answer. Belongs to one thread; made before the others of the run.
class meter {
public:
    using clock = std::chrono::steady_clock;

    explicit meter(load_options const& options) noexcept : options_{options}
    {
        if (options_.weigh)
            heap_before_ = live_heap_bytes();
        if (options_.warm_up == 0)
            begin(clock::now());
    }

    /// What has been allocated until now is not part of what is outstanding.
    void weigh_from_here() noexcept
    {
        if (options_.weigh)
            heap_before_ = live_heap_bytes();
    }
    /// False once enough has been measured: no more requests then.
    [[nodiscard]] bool running() const noexcept { return state_ != state::over; }

    /// A request that was begun at `begun` has its answer. The time now, at which the next one begins.
    clock::time_point on_answer(clock::time_point begun) noexcept
    {
        auto const now = clock::now();
        lost_in_a_row_ = 0;
        if (state_ == state::measuring) {
            done_.latencies.record(now - begun);
            ++done_.requests;
            if (options_.seconds ? now >= end_ : done_.requests == options_.requests)
                finish(now);
        } else if (state_ == state::warming && ++warmed_ >= options_.warm_up) {
            begin(now);
        }
        return now;
    }
    /// Nobody has answered a request. The run goes on, unless nobody answers any more. The time now.
    clock::time_point on_loss() noexcept
    {
        auto const now = clock::now();
        if (state_ == state::measuring) {
            ++done_.lost;
            if (options_.seconds && now >= end_)
                finish(now);
        }
        if (++lost_in_a_row_ > 2 * std::uint64_t{options_.window} + 8)
            fail(error_code{errc::timeout});
        return now;
    }
    /// The run has failed: no more requests. Only the first reason is kept.
    void fail(error reason) noexcept
    {
        end();
        if (!failure_)
            failure_ = std::move(reason);
    }

    /// What was measured, once everything outstanding has ended; errc::timeout where a run ended before its time.
    [[nodiscard]] result<measured> outcome() const
    {
        if (failure_)
            return *failure_;
        if (state_ != state::over)
            return error{errc::timeout, "the loop ended before all answers had come"};
        return done_;
    }

private:
    enum class state : std::uint8_t { warming, measuring, over };

    void begin(clock::time_point now) noexcept
    {
        state_ = state::measuring;
        if (options_.seconds)
            end_ = now + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(*options_.seconds));
        if (options_.weigh) {
            auto const with_all = live_heap_bytes();
            done_.heap_bytes = with_all > heap_before_ ? with_all - heap_before_ : 0;
        }
        watch_.begin(now);
    }
    void finish(clock::time_point now) noexcept
    {
        if (state_ == state::over)
            return;
        watch_.finish(now, done_);
        end();
    }
    void end() noexcept
    {
        if (std::exchange(state_, state::over) != state::over && options_.at_end)
            options_.at_end();
    }

    load_options options_;
    stopwatch watch_;
    state state_ = state::warming;
    std::uint64_t warmed_ = 0;
    std::uint64_t lost_in_a_row_ = 0;
    std::uint64_t heap_before_ = 0;
    clock::time_point end_{};
    measured done_;
    std::optional<error> failure_;
};

} // namespace madrigal::bench
