// When to send a request again, and when to give up.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace madrigal::engine {

/// How one request is repeated until it is answered. "Retries N" means N + 1 transmissions.
struct retry_policy {
    /// How the intervals between transmissions grow.
    enum class backoff : std::uint8_t {
        fixed,    ///< every interval is `timeout`; the kernel repeats by itself
        doubling, ///< `fixed_rounds` intervals of `timeout`, then each twice the one before, up to `max_interval`
    };

    std::chrono::milliseconds timeout{200}; ///< the first interval; 0 is invalid, the kernel would drop the answer
    unsigned retries = 3;
    backoff pace = backoff::fixed;
    std::chrono::milliseconds total{0}; ///< over all intervals, from the first write; 0 = none. The last one is cut
    std::chrono::milliseconds max_interval{60000}; ///< what doubling ends at; a longer `timeout` stays as it is
    unsigned fixed_rounds = 4;

    friend bool operator==(retry_policy const&, retry_policy const&) = default;
};

/// What `check` asks, as yes or no.
[[nodiscard]] constexpr bool can_be_followed(retry_policy const& policy) noexcept
{
    return policy.timeout.count() > 0 && policy.max_interval.count() > 0 && policy.total.count() >= 0;
}

/// errc::invalid_argument with a sentence if the policy cannot be followed: timeout or max_interval not positive, total
/// negative.
[[nodiscard]] result<void> check(retry_policy const& policy);

/// The longest interval that is ever written into a umad header: the kernel's timers take milliseconds as int.
inline constexpr std::uint32_t max_timeout_ms = 0x7FFFFFFF;

/// Rounds up to whole milliseconds, as `timeout_ms` of a umad header: never shorter than asked. 0 for nothing and less.
[[nodiscard]] std::uint32_t to_timeout_ms(duration interval) noexcept;

/// A century: what lengths of time saturate at, so that adding them to a time_point is safe.
inline constexpr duration longest_length = std::chrono::hours{24 * 36525};

/// What one write of a request asks of the kernel (`ib_user_mad_hdr`).
struct submission {
    std::uint32_t timeout_ms = 0; ///< one interval
    std::uint32_t retries = 0;    ///< how often the kernel sends again by itself

    /// How long the kernel tries: timeout_ms × (retries + 1), at most `longest_length`.
    [[nodiscard]] constexpr duration length() const noexcept
    {
        auto const whole = std::uint64_t{timeout_ms} * (std::uint64_t{retries} + 1); // below 2^64
        auto const most = std::chrono::duration_cast<std::chrono::milliseconds>(longest_length).count();
        return std::chrono::milliseconds{std::min(whole, static_cast<std::uint64_t>(most))};
    }
    /// The same and 20 ms for each transmission: the kernel's timers count in ticks of up to 10 ms.
    [[nodiscard]] constexpr duration longest() const noexcept
    {
        // At most a century, and 2^32 × 20 ms, which is 3 years.
        return length() + std::chrono::milliseconds{20} * (std::int64_t{retries} + 1);
    }
    /// How many transmissions were lost before the one that was answered after so long: one for each whole interval.
    [[nodiscard]] constexpr std::uint32_t lost_by(duration elapsed) const noexcept
    {
        duration const interval = std::chrono::milliseconds{timeout_ms};
        if (elapsed <= interval || timeout_ms == 0)
            return 0;
        return static_cast<std::uint32_t>(
            std::min<std::int64_t>((elapsed - duration{1}) / interval, std::max(retries, 1U)));
    }
    friend bool operator==(submission const&, submission const&) = default;
};

/// The writes of one request, one after the other. Each is asked for when the one before has timed out.
///
/// Fixed: one write, which the kernel repeats; a `total` that is no multiple of `timeout` needs a second, shorter one.
/// Doubling: a write for each transmission. No interval ends after start + total.
class retry_schedule {
public:
    retry_schedule() noexcept = default;
    /// `total` counts from `start`. The policy must have passed `check`; an invalid one gives no submission at all.
    retry_schedule(retry_policy const& policy, time_point start) noexcept
        : total_{policy.total},
          timeout_{milliseconds(policy.timeout)},
          retries_{policy.retries},
          fixed_rounds_{policy.fixed_rounds},
          max_interval_{milliseconds(policy.max_interval)},
          doubling_{policy.pace == retry_policy::backoff::doubling}
    {
        begin(start);
    }

    /// Another timeout than its policy's; before the first `begin` or `next`, as the others below.
    void set_timeout(std::chrono::milliseconds timeout) noexcept { timeout_ = milliseconds(timeout); }
    /// Other retries.
    void set_retries(unsigned retries) noexcept { retries_ = retries; }
    /// Another total.
    void set_total(std::chrono::milliseconds total) noexcept
    {
        total_ = total;
        deadline_ = never; // until `begin`
    }
    /// Another pace.
    void set_pace(retry_policy::backoff pace) noexcept { doubling_ = pace == retry_policy::backoff::doubling; }
    /// As of its policy.
    [[nodiscard]] bool can_be_followed() const noexcept
    {
        return timeout_ != 0 && max_interval_ != 0 && total_.count() >= 0;
    }

    /// `total` counts from here instead.
    void begin(time_point start) noexcept
    {
        if (total_.count() != 0)
            set_deadline(start);
    }
    /// The next write, to be made at `now`; nothing when the transmissions or the time are used up.
    [[nodiscard]] std::optional<submission> next(time_point now) noexcept
    {
        // The usual policy: one write, which the kernel repeats.
        if (deadline_ == never && doubling_ == 0 && sent_ == 0 && can_be_followed()) {
            sent_ = all();
            return submission{timeout_, retries_};
        }
        return next_of_any(now);
    }
    /// Moves start + total: so long the last write has taken, and the kernel waits only from its end.
    void postpone(duration by) noexcept;

    /// True if `next(now)` would give nothing.
    [[nodiscard]] bool exhausted(time_point now) const noexcept
    {
        return sent_ >= all() || (deadline_ != never && milliseconds_left(now) <= 0);
    }

    /// Transmissions handed out so far, the kernel's own repetitions included.
    [[nodiscard]] std::uint64_t transmissions() const noexcept { return sent_; }
    /// start + total; `never` without a total.
    [[nodiscard]] time_point deadline() const noexcept { return deadline_; }

private:
    [[nodiscard]] static std::uint32_t milliseconds(std::chrono::milliseconds interval) noexcept
    {
        return static_cast<std::uint32_t>(std::clamp<std::int64_t>(interval.count(), 0, max_timeout_ms));
    }
    /// Transmissions in total.
    [[nodiscard]] std::uint64_t all() const noexcept { return can_be_followed() ? std::uint64_t{retries_} + 1 : 0; }
    void set_deadline(time_point start) noexcept;
    [[nodiscard]] std::optional<submission> next_of_any(time_point now) noexcept;
    [[nodiscard]] std::uint32_t interval(std::uint64_t round) const noexcept;
    [[nodiscard]] std::int64_t milliseconds_left(time_point now) const noexcept;

    // The policy, compact: there is one of these for each request.
    time_point deadline_ = never;
    std::uint64_t sent_ = 0;
    std::chrono::milliseconds total_{0};
    std::uint32_t timeout_ = 0;
    std::uint32_t retries_ = 0;
    std::uint32_t fixed_rounds_ = 0;
    std::uint32_t max_interval_ : 31 = 0;
    std::uint32_t doubling_ : 1 = 0;
};

/// What stands before a request in a kernel that holds sends back.
struct kernel_backlog {
    unsigned outstanding = 0; ///< requests of the same agent that the kernel has, the new one not counted
    duration longest{0};      ///< the longest `submission::longest()` of them
    /// How many of an agent's requests the kernel has on the wire at a time. Linux holds back more than these since
    /// 6.17 or so: 16 for SubnAdm agents, 128 for the others, with default queue sizes.
    unsigned limit = 16;
};

/// How long after the write of a request its slot may be given up although the kernel has reported nothing (it reports
/// neither a send that failed nor a transfer that the peer aborted). Longer than the kernel can take for its
/// transmissions (`submission::longest`) by a margin of 500 ms and an eighth; plus, where more requests than `limit`
/// are outstanding, the longest of them for each full round that must end first, as the kernel starts the timeout when
/// the request leaves.
[[nodiscard]] constexpr duration guard_after(submission const& written, kernel_backlog const& before = {}) noexcept
{
    auto const own = written.length();
    // The new one leaves once fewer than `limit` of those before it are left, and each round of `limit` of them takes
    // as long as the longest at most.
    auto const limit = before.limit != 0 ? before.limit : 1U;
    auto const full_rounds = before.outstanding < limit ? 0 : std::int64_t{before.outstanding / limit};
    auto const longest = std::max(before.longest, written.longest());
    if (own >= longest_length || (full_rounds > 0 && longest >= longest_length / full_rounds))
        return longest_length;
    auto const margin = std::chrono::milliseconds{500} + own / 8;
    return std::min<duration>(full_rounds * longest + written.longest() + margin, longest_length);
}

} // namespace madrigal::engine
