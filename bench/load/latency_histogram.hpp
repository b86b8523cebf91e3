// Latencies in fixed memory, exact to 1 part in 64.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace madrigal::bench {

/// Counts latencies in log-linear buckets, as HdrHistogram does: exact below 128 ns, and above that 64 buckets for each
/// power of two, so that a bucket is never wider than 1/64 of its values. Any 64-bit number of nanoseconds has its
/// bucket. About 30 kB, nothing on the heap. Belongs to one thread.
class latency_histogram {
public:
    using nanoseconds = std::chrono::nanoseconds;

    /// Counts one latency; a negative one as 0.
    void record(nanoseconds latency) noexcept
    {
        auto const value = latency.count() > 0 ? static_cast<std::uint64_t>(latency.count()) : 0;
        ++counts_[index_of(value)];
        ++count_;
        lowest_ = value < lowest_ ? value : lowest_;
        highest_ = value > highest_ ? value : highest_;
    }
    /// Counts all that `other` has counted.
    void merge(latency_histogram const& other) noexcept
    {
        for (std::size_t i = 0; i != counts_.size(); ++i)
            counts_[i] += other.counts_[i];
        count_ += other.count_;
        lowest_ = other.lowest_ < lowest_ ? other.lowest_ : lowest_;
        highest_ = other.highest_ > highest_ ? other.highest_ : highest_;
    }

    /// How many latencies were counted.
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    /// The shortest and the longest, exactly; 0 where nothing was counted.
    [[nodiscard]] nanoseconds lowest() const noexcept { return as_time(count_ != 0 ? lowest_ : 0); }
    [[nodiscard]] nanoseconds highest() const noexcept { return as_time(highest_); }

    /// The latency that `share` (0 to 1) of all do not exceed: the upper end of the bucket in which that one lies,
    /// never above `highest()`. 0 where nothing was counted.
    [[nodiscard]] nanoseconds percentile(double share) const noexcept
    {
        if (count_ == 0)
            return nanoseconds{0};
        auto const wanted = rank(share);
        std::uint64_t below = 0;
        for (std::size_t i = 0; i != counts_.size(); ++i) {
            below += counts_[i];
            if (below >= wanted)
                return as_time(last_of(i) < highest_ ? last_of(i) : highest_);
        }
        return highest();
    }

private:
    static constexpr unsigned group_bits = 6; // 64 buckets for each power of two
    static constexpr std::size_t group = std::size_t{1} << group_bits;
    static constexpr std::size_t buckets = (64 - group_bits + 1) * group;

    [[nodiscard]] static constexpr std::size_t index_of(std::uint64_t value) noexcept
    {
        if (value < 2 * group)
            return value;
        auto const shift = static_cast<unsigned>(std::bit_width(value)) - group_bits - 1;
        return shift * group + (value >> shift);
    }
    /// The largest value of a bucket.
    [[nodiscard]] static constexpr std::uint64_t last_of(std::size_t index) noexcept
    {
        if (index < 2 * group)
            return index;
        auto const shift = index / group - 1;
        return ((index - shift * group) << shift) + ((std::uint64_t{1} << shift) - 1);
    }

    [[nodiscard]] static nanoseconds as_time(std::uint64_t value) noexcept
    {
        return nanoseconds{static_cast<nanoseconds::rep>(value)};
    }
    /// Which one, counted from 1 in ascending order, is the last of `share` of all.
    [[nodiscard]] std::uint64_t rank(double share) const noexcept
    {
        if (!(share > 0))
            return 1;
        if (share >= 1)
            return count_;
        auto const exact = share * static_cast<double>(count_);
        auto whole = static_cast<std::uint64_t>(exact);
        if (static_cast<double>(whole) < exact)
            ++whole;
        return whole < 1 ? 1 : whole;
    }

    std::array<std::uint64_t, buckets> counts_{};
    std::uint64_t count_ = 0;
    std::uint64_t lowest_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t highest_ = 0;
};

} // namespace madrigal::bench
