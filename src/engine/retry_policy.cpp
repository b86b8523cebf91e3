#include <madrigal/engine/retry_policy.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace madrigal::engine {

namespace {

constexpr std::int64_t max_interval_ms = max_timeout_ms;

error refusal(std::string context)
{
    return {errc::invalid_argument, "retry policy: " + std::move(context)};
}

/// start + total, `never` rather than an overflow.
time_point deadline_of(time_point start, std::chrono::milliseconds total) noexcept
{
    if (total.count() == 0 || total >= std::chrono::floor<std::chrono::milliseconds>(never - std::max(start, {})))
        return never;
    return start + total;
}

} // namespace

result<void> check(retry_policy const& policy)
{
    if (policy.timeout.count() <= 0)
        return refusal(
            "timeout is " + std::to_string(policy.timeout.count()) +
            " ms; an answer needs more than 0, since the kernel drops answers to requests without a timeout");
    if (policy.max_interval.count() <= 0)
        return refusal(
            "max_interval is " + std::to_string(policy.max_interval.count()) + " ms; it must be more than 0");
    if (policy.total.count() < 0)
        return refusal("total is " + std::to_string(policy.total.count()) + " ms; 0 stands for no limit");
    return outcome::success();
}

std::uint32_t to_timeout_ms(duration interval) noexcept
{
    auto const whole = std::chrono::ceil<std::chrono::milliseconds>(interval).count();
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(whole, 0, max_interval_ms));
}

void retry_schedule::set_deadline(time_point start) noexcept
{
    deadline_ = deadline_of(start, total_);
}

std::uint32_t retry_schedule::interval(std::uint64_t round) const noexcept
{
    if (doubling_ == 0 || round < fixed_rounds_)
        return timeout_;
    // The cap is for growth: a first interval above it stays as it is.
    std::uint64_t const cap = std::max<std::uint32_t>(max_interval_, timeout_);
    auto const doublings = round - fixed_rounds_ + 1;
    // Below 2^31 ms, 31 doublings reach any cap.
    return static_cast<std::uint32_t>(doublings > 31 ? cap : std::min(std::uint64_t{timeout_} << doublings, cap));
}

std::int64_t retry_schedule::milliseconds_left(time_point now) const noexcept
{
    if (deadline_ == never)
        return std::numeric_limits<std::int64_t>::max();
    if (now >= deadline_)
        return 0;
    // Down: an interval rounded up would end after the deadline.
    return std::chrono::floor<std::chrono::milliseconds>(deadline_ - now).count();
}

std::optional<submission> retry_schedule::next_of_any(time_point now) noexcept
{
    if (exhausted(now))
        return std::nullopt;
    auto const left = milliseconds_left(now);
    auto const first = interval(sent_);
    if (first >= left) { // the last one, cut where it must be
        ++sent_;
        return submission{.timeout_ms = static_cast<std::uint32_t>(left), .retries = 0};
    }
    std::uint64_t rounds = 1;
    if (doubling_ == 0)
        rounds = std::min(all() - sent_, static_cast<std::uint64_t>(left) / first);
    sent_ += rounds;
    return submission{.timeout_ms = first, .retries = static_cast<std::uint32_t>(rounds - 1)};
}

void retry_schedule::postpone(duration by) noexcept
{
    deadline_ = by < never - std::max(deadline_, {}) ? deadline_ + by : never;
}

} // namespace madrigal::engine
