// A message as RMPP puts it together, in memory that many transfers share.
#pragma once

#include <madrigal/wire/mad.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace madrigal::engine {

/// How many bytes all messages of a kind may take together, those that are arriving and those that their takers still
/// hold. Safe from any thread.
class rmpp_budget {
public:
    explicit rmpp_budget(std::size_t limit) noexcept : limit_{limit} {}
    rmpp_budget(rmpp_budget const&) = delete;
    rmpp_budget& operator=(rmpp_budget const&) = delete;
    ~rmpp_budget() = default;

    /// Takes so many bytes if there are as many.
    [[nodiscard]] bool try_take(std::size_t bytes) noexcept
    {
        auto used = used_.load(std::memory_order_relaxed);
        do {
            if (bytes > limit_ || used > limit_ - bytes)
                return false;
        } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
        return true;
    }
    /// Gives back what was taken.
    void give_back(std::size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }

    [[nodiscard]] std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
    [[nodiscard]] std::size_t available() const noexcept { return limit_ - std::min(limit_, used()); }

private:
    std::size_t const limit_;
    std::atomic<std::size_t> used_ = 0;
};

/// The headers of a message's first segment and the data of all of its segments, put together. The data lies in chunks
/// that are allocated as it arrives, whatever length the peer announces, and charged to a budget. What has been read
/// may be given back before the rest has come. Belongs to one thread at a time; it may end on any, and after the
/// transfer.
class rmpp_message {
public:
    /// The data of one allocation, and what it is charged with: itself and its place in the list.
    static constexpr std::size_t chunk_size = 4096;
    static constexpr std::size_t chunk_cost = chunk_size + 64;

    rmpp_message() noexcept = default;
    explicit rmpp_message(std::shared_ptr<rmpp_budget> budget) noexcept : budget_{std::move(budget)} {}
    rmpp_message(rmpp_message&& other) noexcept { swap(other); }
    rmpp_message& operator=(rmpp_message&& other) noexcept
    {
        rmpp_message{std::move(other)}.swap(*this);
        return *this;
    }
    ~rmpp_message() { clear(); }

    /// The first segment's headers, up to where the class's data begins; empty before it has arrived.
    [[nodiscard]] std::span<std::byte const> headers() const noexcept
    {
        return std::span{headers_}.first(headers_size_);
    }
    /// Data that has arrived without a gap from the start; all of it, once the transfer is complete.
    [[nodiscard]] std::uint64_t data_size() const noexcept { return end_; }
    /// Of that, what has been consumed.
    [[nodiscard]] std::uint64_t consumed() const noexcept { return begin_; }
    /// Of that, what is there to be read.
    [[nodiscard]] std::size_t readable() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
    /// The next bytes to be read that lie together; empty where `readable()` is 0.
    [[nodiscard]] std::span<std::byte const> front() const noexcept;
    /// Copies readable bytes, from `skip` bytes behind the first of them on; returns how many.
    std::size_t copy(std::span<std::byte> to, std::size_t skip = 0) const noexcept;
    /// Gives readable bytes back, at most all of them.
    void consume(std::size_t bytes) noexcept;
    /// Headers and all data one behind the other, as a kernel hands a message out. Nothing may have been consumed.
    [[nodiscard]] std::vector<std::byte> whole() const;

    /// For the receiver: sets the headers, of which 64 bytes at most are kept.
    void set_headers(std::span<std::byte const> headers) noexcept;
    /// For the receiver: puts data at its place, counted from the start of all data. False, with nothing changed that
    /// shows, where the budget or memory does not allow it, or where the place has been consumed.
    [[nodiscard]] bool put(std::uint64_t at, std::span<std::byte const> data) noexcept;
    /// For the receiver: up to here there is no gap. All that has been put up to here counts as data.
    void set_data_size(std::uint64_t size) noexcept { end_ = std::max(begin_, size); }
    /// For the receiver: gives back all memory.
    void clear() noexcept;

    /// Exchanges all.
    void swap(rmpp_message& other) noexcept;

private:
    struct chunk {
        std::array<std::byte, chunk_size> bytes; // left as it is: nothing is read that has not been put
    };

    [[nodiscard]] std::byte* place(std::uint64_t at) const noexcept;
    [[nodiscard]] bool grow(std::uint64_t up_to) noexcept;

    std::shared_ptr<rmpp_budget> budget_;
    std::array<std::byte, 64> headers_{};
    std::uint8_t headers_size_ = 0;
    std::vector<std::unique_ptr<chunk>> chunks_; // null below the one of `begin_`
    std::uint64_t base_ = 0;                     // chunks that the list does not start with any more
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
};

} // namespace madrigal::engine
