// One outgoing RMPP transfer.
#pragma once

#include <madrigal/engine/growing_message.hpp>
#include <madrigal/engine/rmpp.hpp>
#include <madrigal/engine/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace madrigal::engine {

/// How transfers are sent.
struct rmpp_sender_options {
    rmpp_manner manner = rmpp_manner::thorough;
    /// How long an ACK may take before segments are sent again. Twice as long after each time in a row.
    duration timeout = std::chrono::milliseconds{100};
    /// But never longer than this. An RRespTime of the peer, with `way` there and back, may lengthen `timeout` up to
    /// this too; it never shortens it, since there are peers that give back the sender's own.
    duration longest_timeout = std::chrono::seconds{5};
    /// How long a packet is on its way (PacketLifeTime of the path), where it is known.
    duration way = duration::zero();
    /// How often segments are sent again without an ACK that brings something new.
    unsigned retries = 6;
    /// For all of it, from the first segment to the last ACK; zero: no limit.
    duration total = std::chrono::seconds{60};
    /// How far the peer lets this side send at the start: 1, or what `rmpp_receiver::answer_window` says.
    std::uint32_t first_window = 1;
    /// The transfer is double-sided (GetMulti): once it is acknowledged, the peer is handed the direction with an ACK
    /// of segment 0.
    bool expects_answer = false;
    /// How long a double-sided transfer hands over again where the peer has missed it.
    duration linger = std::chrono::seconds{10};
    /// Once an ACK has let more segments go, nothing is sent again for want of an ACK, nor given up: what is lost then
    /// is lost, and the transfer stays until the peer or the user ends it. A fault of kernels.
    bool stalls = false;
    /// RRespTime in segments.
    std::uint8_t response_time = rmpp_no_response_time;

    /// A Linux kernel's, for a write with this timeout and these retries: it waits for an ACK as long, but two seconds
    /// at most or where there is no timeout; with a timeout it takes the transfer for double-sided; it knows no limit
    /// for the whole. With a timeout of two seconds or less it `stalls` (seen on 6.1 and 6.12: send_next_seg leaves the
    /// point in time of the wait before where the length of the next one belongs).
    [[nodiscard]] static constexpr rmpp_sender_options linux_kernel(
        std::uint32_t timeout_ms, std::uint32_t retries) noexcept
    {
        constexpr std::uint32_t longest_ms = 2000;
        auto const wait = std::chrono::milliseconds{timeout_ms == 0 ? longest_ms : std::min(timeout_ms, longest_ms)};
        return {.manner = rmpp_manner::linux_kernel,
            .timeout = wait,
            .longest_timeout = wait,
            .retries = retries,
            .total = duration::zero(),
            .expects_answer = timeout_ms != 0,
            .linger = std::chrono::milliseconds{timeout_ms},
            .stalls = timeout_ms != 0 && timeout_ms <= longest_ms,
            .response_time = 0};
    }
};

/// What sends one message, without I/O and without a clock:
///
///     sending ──all acknowledged──> complete ──[double-sided: linger]──> over
///        │                                                                ▲
///        └──peer's ABORT or STOP, broken protocol, no ACK, time──> failed ┘
///
/// Whoever drives it takes segments while `has_segment()` and sends them, at a pace of his own; gives it what comes
/// from the peer; and calls `expire` at `next_deadline()`. After a timeout all is sent again from the first segment
/// that is not acknowledged. In the thorough manner a repeated ACK means that the one behind it is missing: that one is
/// sent again at once. Segments are made when they are taken, from the message, which is not copied. Belongs to one
/// thread.
class rmpp_sender {
public:
    /// `message` is a MAD up to where its class's data begins, followed by the data of all segments, of any length. Its
    /// class must have RMPP; its RMPP header counts for nothing. Borrowed until the transfer has ended.
    rmpp_sender(rmpp_sender_options const& options, std::span<std::byte const> message, time_point now);
    /// One that is still being made, in the thorough manner and not double-sided. Its first segment does not say how
    /// long the message is (IBA 13.6.2: PayloadLength 0) unless all of it is there. The last segment that is full waits
    /// until it is known whether more follow. While all that there is has been acknowledged, the peer is not expected
    /// to say anything, and only `total` runs. Its window holds three segments at least. Borrowed.
    rmpp_sender(rmpp_sender_options const& options, growing_message& message, time_point now);

    /// True if there is a segment to be sent now.
    [[nodiscard]] bool has_segment() const noexcept
    {
        return outcome_.end == rmpp_end::not_yet && (missing_ != 0 || next_ <= sendable());
    }
    /// Makes the next segment, to be sent now. There must be one.
    void take_segment(std::span<std::byte, mad_size> into, time_point now) noexcept;

    /// The message has grown, or is finished.
    void on_grown(time_point now) noexcept;
    /// A MAD of the peer that belongs to this transfer: ACK, STOP or ABORT. Nothing in it is trusted.
    rmpp_step on_packet(mad_view mad, time_point now, rmpp_reply& reply);
    /// To be called at `next_deadline()`; no harm before.
    rmpp_step expire(time_point now, rmpp_reply& reply);
    /// Ends the transfer from this side with an ABORT of this status.
    void cancel(rmpp_end why, rmpp_status status, rmpp_reply& reply);

    /// When `expire` has something to do; `never` where only the peer, or the taking of segments, goes on.
    [[nodiscard]] time_point next_deadline() const noexcept;
    /// How it ended, or that it has not.
    [[nodiscard]] rmpp_outcome outcome() const noexcept { return outcome_; }
    /// Segments in all; of a message that is still being made, those so far.
    [[nodiscard]] std::uint32_t segments() const noexcept { return count_; }
    /// Of these, the peer has acknowledged so many.
    [[nodiscard]] std::uint32_t acknowledged() const noexcept { return acknowledged_; }
    /// Segments taken that had been taken before.
    [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }

private:
    rmpp_step on_ack(mad_view mad, rmpp_header const& header, time_point now, rmpp_reply& reply);
    rmpp_step on_end(mad_view mad, rmpp_header const& header, rmpp_reply& reply);
    rmpp_step fail(rmpp_outcome outcome) noexcept;
    rmpp_step refuse(mad_view mad, rmpp_status status, rmpp_reply& reply) noexcept;
    void hand_over(mad_view mad, rmpp_reply& reply) const noexcept;
    [[nodiscard]] duration patience() const noexcept;
    void tell(rmpp_status status, rmpp_reply& reply) const noexcept;
    void count_segments(std::uint64_t data_bytes) noexcept;
    std::size_t copy_data(std::uint64_t offset, std::span<std::byte> into) const noexcept;
    /// All of the message is there.
    [[nodiscard]] bool is_whole() const noexcept { return growing_ == nullptr || growing_->finished(); }
    [[nodiscard]] std::uint64_t data_size() const noexcept;
    [[nodiscard]] bool is_thorough() const noexcept { return options_.manner == rmpp_manner::thorough; }
    [[nodiscard]] std::uint32_t sendable() const noexcept
    {
        return overruns_ ? count_ : std::min(window_last_, count_);
    }

    rmpp_sender_options options_;
    std::span<std::byte const> message_; // of one that is still being made, the headers
    growing_message* growing_ = nullptr;
    rmpp_outcome outcome_;
    duration timeout_;
    time_point end_;            // of the whole, later of lingering
    time_point resend_ = never; // if nothing comes
    std::uint64_t repeated_ = 0;
    std::uint32_t count_ = 0;
    std::uint32_t window_last_ = 1;
    std::uint32_t acknowledged_ = 0;
    std::uint32_t next_ = 1;         // to be sent
    std::uint32_t sent_ = 0;         // the highest ever
    std::uint32_t missing_ = 0;      // to be sent before: the peer lacks it; 0: none
    std::uint32_t repair_until_ = 0; // while less is acknowledged, an ACK of less tells what is missing too
    unsigned retries_left_ = 0;
    bool overruns_ = false; // the window, as kernels do
    bool stalled_ = false;
};

} // namespace madrigal::engine
