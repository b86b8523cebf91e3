// One incoming RMPP transfer.
#pragma once

#include <madrigal/engine/rmpp.hpp>
#include <madrigal/engine/rmpp_message.hpp>
#include <madrigal/engine/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace madrigal::engine {

/// How transfers are received.
struct rmpp_receiver_options {
    rmpp_manner manner = rmpp_manner::thorough;
    /// Segments that the peer may send ahead of the last one acknowledged: 1 to 64.
    unsigned window = 64;
    /// The most data of a message that is held at a time: of the whole, unless it is consumed as it arrives.
    std::size_t max_message = std::size_t{64} << 20;
    /// What the first segment announces must be the length in the end. To be turned off for peers that announce
    /// something else; kernels do not look at it.
    bool check_total = true;
    /// The message is consumed as it arrives: so what is announced may be longer than what may be held.
    bool consumed_as_it_comes = false;
    /// From the first segment to the last. A kernel's sender takes two seconds to repair each loss.
    duration total = std::chrono::minutes{10};
    /// Between two segments that bring something new; zero: no limit. More than the peer's resend timeout.
    duration idle = std::chrono::seconds{15};
    /// How long after its end a transfer still answers a peer that has missed it.
    duration linger = std::chrono::seconds{10};
    /// RRespTime in ACKs.
    std::uint8_t response_time = rmpp_no_response_time;

    /// A Linux kernel's: windows of 64, 40 seconds for the whole, 10 seconds afterwards.
    [[nodiscard]] static constexpr rmpp_receiver_options linux_kernel() noexcept
    {
        return {.manner = rmpp_manner::linux_kernel,
            .total = std::chrono::seconds{40},
            .idle = duration::zero(),
            .linger = std::chrono::seconds{10}};
    }
};

/// What receives one message, without I/O and without a clock:
///
///     receiving ──all segments──> complete ──linger──> over
///         │                                              ▲
///         └──broken protocol, time, memory, peer──> failed
///
/// It takes the segments in any order within the window, acknowledges them, and keeps them in a `rmpp_message`, which
/// may be read, and given back, before the last segment has come. A complete transfer answers late duplicates with its
/// last ACK, a failed one with its ABORT or STOP. Belongs to one thread.
class rmpp_receiver {
public:
    /// A transfer whose first segment comes next, to `on_packet`. `budget` is what its message is charged to.
    rmpp_receiver(rmpp_receiver_options const& options, std::shared_ptr<rmpp_budget> budget, time_point now);

    /// What is wrong with a DATA packet by itself: a status other than 0, a First flag that does not go with the
    /// segment number, or a last segment's PayloadLength that cannot be. Linux's kernels do not look at lengths.
    [[nodiscard]] static std::optional<rmpp_status> fault_of(
        management_class of, rmpp_header const& header, rmpp_manner manner) noexcept;

    /// A whole MAD of the peer that belongs to this transfer: DATA, a STOP or ABORT of the sender, or the ACK of
    /// segment 0 with which a sender hands over the direction. Nothing in it is trusted.
    rmpp_step on_packet(mad_view mad, time_point now, rmpp_reply& reply);
    /// To be called at `next_deadline()`; no harm before.
    rmpp_step expire(time_point now, rmpp_reply& reply);
    /// Ends the transfer from this side: with an ABORT of this status, or with `resources_exhausted` a STOP.
    void cancel(rmpp_end why, rmpp_status status, time_point now, rmpp_reply& reply);

    /// When `expire` has something to do.
    [[nodiscard]] time_point next_deadline() const noexcept;
    /// How it ended, or that it has not.
    [[nodiscard]] rmpp_outcome outcome() const noexcept { return outcome_; }
    /// What has arrived; `consume` it here, or move the message away after the end.
    [[nodiscard]] rmpp_message& message() noexcept { return message_; }
    [[nodiscard]] rmpp_message const& message() const noexcept { return message_; }
    /// Segments that have arrived without a gap.
    [[nodiscard]] std::uint32_t segments() const noexcept { return in_order_; }
    /// The window with which an answer to this message may start: what the peer's turn of the direction said, else 1,
    /// since some peers never send one.
    [[nodiscard]] std::uint32_t answer_window() const noexcept { return answer_window_; }
    /// When something new arrived last.
    [[nodiscard]] time_point last_progress() const noexcept { return last_progress_; }

private:
    rmpp_step on_data(mad_view mad, rmpp_header const& header, time_point now, rmpp_reply& reply);
    rmpp_step on_repeated(mad_view mad, std::uint32_t segment, rmpp_reply& reply);
    [[nodiscard]] std::optional<rmpp_status> contradiction(rmpp_header const& header) const noexcept;
    [[nodiscard]] bool store(mad_view mad, rmpp_header const& header);
    rmpp_step advance(mad_view mad, time_point now, rmpp_reply& reply);
    void acknowledge(mad_view mad, rmpp_reply& reply);
    rmpp_step fail(rmpp_outcome outcome, time_point now);
    rmpp_step refuse(mad_view mad, rmpp_end why, rmpp_status status, time_point now, rmpp_reply& reply);
    [[nodiscard]] std::uint8_t response_time(mad_view mad) const noexcept;
    [[nodiscard]] bool is_thorough() const noexcept { return options_.manner == rmpp_manner::thorough; }
    [[nodiscard]] std::uint32_t announced_by(rmpp_header const& header) const noexcept;
    [[nodiscard]] bool is_known(std::uint32_t segment) const noexcept;

    rmpp_receiver_options options_;
    rmpp_message message_;
    rmpp_outcome outcome_;
    time_point deadline_; // of the whole, later of lingering
    time_point last_progress_;
    std::uint64_t ahead_ = 0;        // bit i: segment in_order_ + 1 + i is there
    std::uint64_t total_ = 0;        // PayloadLength of the first segment; 0: not known
    std::uint32_t in_order_ = 0;     // all segments up to this one are there
    std::uint32_t highest_ = 0;      // and this one too
    std::uint32_t last_ = 0;         // the one with the Last flag; 0: not known
    std::uint32_t missing_ = 0;      // bytes of data that it lacks
    std::uint32_t acknowledged_ = 0; // what the last ACK said
    std::uint32_t window_last_ = 1;  // and its window
    std::uint32_t repeated_ = 0;     // the last duplicate
    std::uint32_t answer_window_ = 1;
    unsigned gap_acks_ = 0; // sent since in_order_ changed
};

} // namespace madrigal::engine
