// When the sends of a given rate are due.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>

namespace madrigal::bench {

/// The times of sends at a steady rate from the moment of its making. Each is reckoned from the first, so that nothing
/// adds up.
class pace {
public:
    using clock = std::chrono::steady_clock;

    /// `rate` sends a second; 0: all are due at once.
    explicit pace(double rate) noexcept : began_{clock::now()}, interval_ns_{rate > 0 ? 1e9 / rate : 0} {}

    /// When the next send is due.
    [[nodiscard]] clock::time_point due() const noexcept
    {
        auto const since = std::llround(interval_ns_ * static_cast<double>(count_));
        return began_ + std::chrono::nanoseconds{since};
    }
    /// It has been sent.
    void advance() noexcept { ++count_; }
    [[nodiscard]] bool steady() const noexcept { return interval_ns_ > 0; }

    /// Sleeps until the next send is due; at once where it is already.
    void sleep() const noexcept
    {
        if (!steady())
            return;
        auto const due = this->due();
        if (due <= clock::now())
            return;
        // steady_clock is CLOCK_MONOTONIC in libstdc++.
        auto const since = due.time_since_epoch();
        auto const whole = std::chrono::duration_cast<std::chrono::seconds>(since);
        std::timespec const until{whole.count(), (since - whole).count()};
        while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
        }
    }

private:
    clock::time_point began_;
    double interval_ns_;
    std::uint64_t count_ = 0;
};

} // namespace madrigal::bench
