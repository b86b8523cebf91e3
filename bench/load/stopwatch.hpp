// What a stretch of a run cost.
#pragma once

#include "heap_counter.hpp"
#include "instruction_counter.hpp"
#include "latency_histogram.hpp"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>

namespace madrigal::bench {

/// What was measured between two answers.
struct measured {
    std::uint64_t requests = 0;
    std::uint64_t lost = 0; ///< requests that nobody answered, retries included
    std::chrono::nanoseconds elapsed{0};
    std::chrono::nanoseconds cpu{0}; ///< of this process, the answering process not included
    std::uint64_t allocations = 0;
    std::optional<std::uint64_t> instructions{}; ///< none where they cannot be counted
    std::uint64_t heap_bytes = 0;                ///< of what was outstanding, where it was asked for
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
        heap_bytes = heap_bytes > other.heap_bytes ? heap_bytes : other.heap_bytes;
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

/// Takes time, CPU time, allocations and instructions between two calls on one thread. Made before the other threads of
/// the run, whose instructions count too.
class stopwatch {
public:
    using clock = std::chrono::steady_clock;

    void begin(clock::time_point now) noexcept
    {
        began_ = now;
        cpu_before_ = cpu_time();
        instructions_before_ = instructions_.read();
        allocations_before_ = allocations();
    }
    void finish(clock::time_point now, measured& into) const noexcept
    {
        into.elapsed = now - began_;
        into.allocations = allocations() - allocations_before_;
        if (auto const counted = instructions_.read(); counted && instructions_before_)
            into.instructions = *counted - *instructions_before_;
        into.cpu = cpu_time() - cpu_before_;
    }

private:
    static std::chrono::nanoseconds cpu_time() noexcept
    {
        std::timespec spent{};
        (void)::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
        return std::chrono::seconds{spent.tv_sec} + std::chrono::nanoseconds{spent.tv_nsec};
    }

    instruction_counter instructions_;
    clock::time_point began_{};
    std::chrono::nanoseconds cpu_before_{0};
    std::optional<std::uint64_t> instructions_before_{};
    std::uint64_t allocations_before_ = 0;
};

} // namespace madrigal::bench
