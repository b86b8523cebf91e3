// A token bucket, so that a log says that something happens without saying it a million times.
#pragma once

#include <madrigal/engine/time.hpp>

#include <algorithm>
#include <cstdint>

namespace madrigal::engine {

/// Lets through `per_second` events a second on average and up to `burst` at once. Belongs to one thread.
class rate_limit {
public:
    /// 0 per second lets nothing through after the first `burst`; a burst of 0 lets nothing through at all.
    explicit rate_limit(unsigned per_second, unsigned burst) noexcept
        : cost_{per_second == 0 ? duration::zero()
                                : std::max(duration{1}, duration{std::chrono::seconds{1}} / per_second)},
          burst_{burst},
          tokens_{burst}
    {}
    explicit rate_limit(unsigned per_second) noexcept : rate_limit{per_second, per_second} {}

    /// True if this event may pass; `*suppressed` (if given) is then how many were held back since the last that
    /// passed, and 0 otherwise. A `now` before an earlier one counts as that one.
    [[nodiscard]] bool allow(time_point now, std::uint64_t* suppressed = nullptr) noexcept
    {
        refill(now);
        if (suppressed != nullptr)
            *suppressed = 0;
        if (tokens_ == 0) {
            ++suppressed_;
            return false;
        }
        --tokens_;
        if (suppressed != nullptr)
            *suppressed = suppressed_;
        suppressed_ = 0;
        return true;
    }

    /// Events held back since the last that passed.
    [[nodiscard]] std::uint64_t suppressed() const noexcept { return suppressed_; }

private:
    void refill(time_point now) noexcept
    {
        if (cost_ == duration::zero())
            return;
        if (tokens_ == burst_) { // a full bucket saves nothing up
            filled_ = std::max(filled_, now);
            return;
        }
        if (now <= filled_)
            return;
        auto const earned = (now - filled_) / cost_;
        if (earned >= static_cast<std::int64_t>(burst_ - tokens_)) {
            tokens_ = burst_;
            filled_ = now;
        } else {
            tokens_ += static_cast<unsigned>(earned);
            filled_ += earned * cost_; // the rest counts towards the next token
        }
    }

    duration cost_; // of one token
    unsigned burst_;
    unsigned tokens_;
    time_point filled_ = time_point::min(); // when tokens_ was true
    std::uint64_t suppressed_ = 0;
};

} // namespace madrigal::engine
