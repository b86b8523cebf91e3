// Which of the traps that come in are worth waking somebody for.
#pragma once

#include <madrigal/engine/oldest_out_table.hpp>
#include <madrigal/engine/rate_limit.hpp>
#include <madrigal/engine/time.hpp>
#include <madrigal/wire/attributes/notice.hpp>
#include <madrigal/wire/types.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace madrigal::engine {

/// What a trap filter lets through.
struct trap_filter_options {
    duration window = std::chrono::seconds{5}; ///< in which the same source is heard once with the same trap
    std::size_t sources = 1024;                ///< remembered at a time; the oldest makes room
    unsigned per_source = 20;                  ///< traps a second from one LID, on average
    unsigned burst_per_source = 50;            ///< and at once
    unsigned total = 1'000;                    ///< traps a second from all
    unsigned burst = 2'000;                    ///< and at once
};

/// What becomes of a trap now.
enum class trap_verdict : std::uint8_t {
    deliver,
    duplicate, ///< its source was heard with the same trap a moment ago
    flooded,   ///< too many from this LID, or from all
};

/// What has become of all so far.
struct trap_filter_counters {
    std::uint64_t delivered = 0;  ///< at once, or when their window was over
    std::uint64_t duplicates = 0; ///< held back
    std::uint64_t flooded = 0;    ///< held back
    std::uint64_t forgotten = 0;  ///< held back, and then displaced by those of other sources or kinds
    std::uint64_t replaced = 0;   ///< held back, and then displaced by one of its kind that says something else
};

/// A trap with where it came from.
struct sourced_trap {
    lid source;
    notice told;
};

/// Lets the first trap of a kind through and then, for a while, none that is its like: same source LID, same number
/// (and generic or not), same port in its details where these name one. The last of those held back is not lost: it
/// comes out of `next_due` when the window is over, because a link that goes down and up again within a window is up.
///
/// Lost is only what is counted as forgotten or replaced: what is said again in the same words, apart from the notice's
/// count and toggle, loses nothing.
///
/// Nothing grows: there are `sources` places, and each call looks at one of them, apart from those whose time is over.
/// What a displaced source had to say is counted as forgotten. LIDs and ports are taken as they come, and may name
/// nobody. A `now` before an earlier one counts as that one. Belongs to one thread at a time.
class trap_filter {
public:
    explicit trap_filter(trap_filter_options const& options = {});

    /// A trap has come from a LID.
    [[nodiscard]] trap_verdict on_trap(time_point now, lid source, notice const& told) noexcept;
    /// The next one held back whose window is over; to be called at `deadline()` until there is none.
    [[nodiscard]] std::optional<sourced_trap> next_due(time_point now) noexcept;
    /// When to call `next_due`; `never` while nothing is held back.
    [[nodiscard]] time_point deadline() const noexcept { return held_ == 0 ? never : heard_.oldest().window_ends; }

    [[nodiscard]] trap_filter_counters const& counters() const noexcept { return counters_; }
    /// Sources remembered now.
    [[nodiscard]] std::size_t sources() const noexcept { return heard_.size(); }

private:
    struct heard {
        time_point window_ends{};
        bool holds = false; // `last` is to come out
        sourced_trap last{};
    };

    struct lid_rate {
        rate_limit limit{0, 0};
    };

    [[nodiscard]] time_point not_before(time_point now) noexcept;
    [[nodiscard]] bool may_pass(time_point now, lid source) noexcept;
    void forget_what_is_over(time_point now) noexcept;
    void remember(std::uint64_t key, heard what) noexcept;

    trap_filter_options options_;
    oldest_out_table<heard> heard_; // in the order in which their windows end
    oldest_out_table<lid_rate> rates_;
    rate_limit total_;
    std::size_t held_ = 0;
    time_point last_now_ = time_point::min();
    trap_filter_counters counters_;
};

} // namespace madrigal::engine
