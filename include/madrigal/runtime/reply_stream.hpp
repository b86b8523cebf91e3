// The data of an answer that is sent while it is still being made.
#pragma once

#include <madrigal/engine/growing_message.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

namespace madrigal {

namespace detail {

class agent_core;

/// Shared by who makes the data and the transfer.
struct reply_stream_state : engine::growing_message {
    using growing_message::growing_message;

    std::function<void()> on_room;
    std::weak_ptr<agent_core> agent; // once it is on its way
    std::uint64_t ticket = 0;
};

} // namespace detail

/// The data of an answer by RMPP that is sent while it is still being made: see `request::reply_by`. It holds a window
/// of the data, until the peer has acknowledged it. Copies share it. For the loop's thread.
class reply_stream {
public:
    /// So many bytes may be made before the peer has acknowledged any. Less than 1,024 segments (200 KiB), the most
    /// that kernels let come unacknowledged, may make a transfer wait for its timeouts.
    explicit reply_stream(std::size_t window = std::size_t{256} << 10)
        : state_{std::make_shared<detail::reply_stream_state>(window)}
    {}

    /// Adds as much of `data` as there is room for, and says how much. Where that is not all, `on_room` tells when it
    /// may go on. What becomes of the transfer its reply's completion tells, not this.
    std::size_t append(std::span<std::byte const> data) const;
    /// There is no more data. A transfer whose stream is never finished ends by `rmpp_options::sending.total`.
    void finish() const;
    /// Ends the transfer, begun or not; the peer is told that it is not all. The reply ends with operation_aborted.
    void abort() const;
    /// Is called on the loop when there is room after `append` has found too little. It should only wake somebody.
    void on_room(std::function<void()> wake) const { state_->on_room = std::move(wake); }

    /// Data so far.
    [[nodiscard]] std::uint64_t size() const noexcept { return state_->size(); }
    [[nodiscard]] std::size_t window() const noexcept { return state_->window(); }
    /// For the agent.
    [[nodiscard]] std::shared_ptr<detail::reply_stream_state> const& state() const noexcept { return state_; }

private:
    void tell() const;

    std::shared_ptr<detail::reply_stream_state> state_;
};

} // namespace madrigal
