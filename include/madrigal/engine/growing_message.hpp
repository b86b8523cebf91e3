// A message that is sent while it is still being made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace madrigal::engine {

/// Headers and data of which the end is not known yet. It holds no more than a window of the data: what the peer has
/// acknowledged is forgotten, which makes room for more. Belongs to one thread.
class growing_message {
public:
    /// The window takes so many bytes, from the first byte on. It must hold all that a peer lets be sent before it
    /// acknowledges anything: kernels 1,024 segments of their longest queues at most, 64 of the usual ones.
    explicit growing_message(std::size_t window);

    // Who makes it.
    /// Adds as much of `data` as there is room for, and says how much. Nothing after `finish`.
    [[nodiscard]] std::size_t append(std::span<std::byte const> data) noexcept;
    /// There is no more data.
    void finish() noexcept { finished_ = true; }
    [[nodiscard]] std::size_t room() const noexcept { return window_ - static_cast<std::size_t>(end_ - begin_); }
    [[nodiscard]] std::size_t window() const noexcept { return window_; }
    [[nodiscard]] bool finished() const noexcept { return finished_; }
    /// Data so far, what has been forgotten included.
    [[nodiscard]] std::uint64_t size() const noexcept { return end_; }

    // Who sends it.
    /// The MAD up to where its class's data begins; to be set before the sender begins.
    void set_headers(std::span<std::byte const> headers) { headers_.assign(headers.begin(), headers.end()); }
    [[nodiscard]] std::span<std::byte const> headers() const noexcept { return headers_; }
    /// Data from `offset` on, as much as there is and as `into` takes. It must not have been forgotten.
    [[nodiscard]] std::size_t copy(std::uint64_t offset, std::span<std::byte> into) const noexcept;
    /// Data before `offset` is not wanted again.
    void forget_before(std::uint64_t offset) noexcept;

private:
    std::vector<std::byte> headers_;
    std::unique_ptr<std::byte[]> ring_; // NOLINT(modernize-avoid-c-arrays): not zeroed
    std::size_t window_;
    std::uint64_t begin_ = 0; // of what is held
    std::uint64_t end_ = 0;
    bool finished_ = false;
};

} // namespace madrigal::engine
