// What one run of a peer is to do, and what came of it.
#pragma once

#include "heap_counter.hpp"
#include "instruction_counter.hpp"
#include "latency_histogram.hpp"

#include <madrigal/error.hpp>

#include <chrono>
#include <cstdint>
#include <ctime>
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
};

/// What was measured between two answers.
struct measured {
    std::uint64_t requests = 0;
    std::uint64_t lost = 0; ///< requests that nobody answered, retries included
    std::chrono::nanoseconds elapsed{0};
    std::chrono::nanoseconds cpu{0}; ///< of this process, the answering process not included
    std::uint64_t allocations = 0;
    std::optional<std::uint64_t> instructions{}; ///< none where they cannot be counted
    latency_histogram latencies;

    [[nodiscard]] double rate() const noexcept { return per(static_cast<double>(requests), seconds(elapsed)); }
    [[nodiscard]] double cpu_microseconds() const noexcept { return each(1e6 * seconds(cpu)); }
    [[nodiscard]] double allocations_each() const noexcept { return each(static_cast<double>(allocations)); }
    [[nodiscard]] std::optional<double> instructions_each() const noexcept
    {
        if (!instructions)
            return std::nullopt;
        return each(static_cast<double>(*instructions));
    }
    void merge(measured const& other) noexcept
    {
        if (requests == 0)
            instructions = other.instructions;
        else if (instructions && other.instructions)
            *instructions += *other.instructions;
        else
            instructions.reset();
        requests += other.requests;
        lost += other.lost;
        elapsed += other.elapsed;
        cpu += other.cpu;
        allocations += other.allocations;
        latencies.merge(other.latencies);
    }

private:
    [[nodiscard]] double each(double all) const noexcept { return per(all, static_cast<double>(requests)); }
    static double seconds(std::chrono::nanoseconds time) noexcept
    {
        return std::chrono::duration<double>(time).count();
    }
    static double per(double part, double whole) noexcept { return whole > 0 ? part / whole : 0; }
};

/// Counts the answers of one run and decides when the measurement begins and ends. All loops report to it in the same
/// way, with one look at the clock for each answer. Belongs to one thread; made before the others of the run, whose
/// instructions count too.
class meter {
public:
    using clock = std::chrono::steady_clock;

    explicit meter(load_options const& options) noexcept : options_{options}
    {
        if (options_.warm_up == 0)
            begin(clock::now());
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
            fail(errc::timeout);
        return now;
    }
    /// The run has failed: no more requests. Only the first reason is kept.
    void fail(error reason) noexcept
    {
        state_ = state::over;
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

    static std::chrono::nanoseconds cpu_time() noexcept
    {
        std::timespec spent{};
        (void)::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
        return std::chrono::seconds{spent.tv_sec} + std::chrono::nanoseconds{spent.tv_nsec};
    }
    void begin(clock::time_point now) noexcept
    {
        state_ = state::measuring;
        began_ = now;
        if (options_.seconds)
            end_ = now + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(*options_.seconds));
        cpu_before_ = cpu_time();
        instructions_before_ = instructions_.read();
        allocations_before_ = allocations();
    }
    void finish(clock::time_point now) noexcept
    {
        if (state_ == state::over)
            return;
        state_ = state::over;
        done_.elapsed = now - began_;
        done_.allocations = allocations() - allocations_before_;
        if (auto const counted = instructions_.read(); counted && instructions_before_)
            done_.instructions = *counted - *instructions_before_;
        done_.cpu = cpu_time() - cpu_before_;
    }

    load_options options_;
    instruction_counter instructions_;
    state state_ = state::warming;
    std::uint64_t warmed_ = 0;
    std::uint64_t lost_in_a_row_ = 0;
    clock::time_point began_{};
    clock::time_point end_{};
    std::chrono::nanoseconds cpu_before_{0};
    std::optional<std::uint64_t> instructions_before_{};
    std::uint64_t allocations_before_ = 0;
    measured done_;
    std::optional<error> failure_;
};

} // namespace madrigal::bench
