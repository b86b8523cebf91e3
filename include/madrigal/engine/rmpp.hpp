// What the two machines of RMPP have in common: how they behave, what they answer, how a transfer ends.
#pragma once

#include <madrigal/wire/rmpp.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace madrigal::engine {

/// How a machine behaves where peers do not follow the protocol, or packets are lost.
enum class rmpp_manner : std::uint8_t {
    /// As the IBA asks (13.6), every contradiction answered with an ABORT that says which; losses are repaired before
    /// the timeout where the peer lets it.
    thorough,
    /// As Linux's kernels behave (mad_rmpp.c): an ACK for each whole window only, duplicates answered up to the last
    /// ACK only, PayloadLength of the last segment believed only where it is possible and that of the first never, no
    /// word to the peer when a sender gives up, a sender's STOP or ABORT not noticed by the receiver.
    linux_kernel,
};

/// How a transfer ended.
enum class rmpp_end : std::uint8_t {
    not_yet,
    complete,     ///< all has been acknowledged, or has arrived
    aborted,      ///< the peer sent an ABORT
    stopped,      ///< the peer sent a STOP: it has not the resources
    refused,      ///< the peer broke the protocol and has been sent an ABORT
    too_long,     ///< the time for the whole transfer, or between two of its segments, has passed
    unanswered,   ///< no ACK came to the last transmission and its repetitions
    no_resources, ///< the message is too long, or memory for it is short; the peer has been sent a STOP
    cancelled,    ///< by this side's user
};

/// How a transfer ended, and the status that one side told the other; `normal` where nothing was told.
struct rmpp_outcome {
    rmpp_end end = rmpp_end::not_yet;
    rmpp_status status = rmpp_status::normal;
    friend bool operator==(rmpp_outcome const&, rmpp_outcome const&) noexcept = default;
};
/// `the peer aborted the transfer, 126: too many retries`.
[[nodiscard]] std::string to_string(rmpp_outcome outcome);

/// What an event did to a machine.
enum class rmpp_step : std::uint8_t {
    nothing,  ///< a duplicate, something stale, or a call before its time
    progress, ///< the transfer goes on
    ended,    ///< just now: `outcome()` says how. The machine may still have a past to answer for
    over,     ///< nothing more will come of it: forget it
};

/// Room for the one packet that a machine may answer an event with: an ACK, STOP or ABORT for the peer.
class rmpp_reply {
public:
    [[nodiscard]] bool empty() const noexcept { return !filled_; }
    /// The packet. Not valid while `empty()`.
    [[nodiscard]] std::array<std::byte, mad_size> const& mad() const noexcept { return mad_; }
    /// Makes room again.
    void clear() noexcept { filled_ = false; }

    /// Fills it with an answer to a packet whose headers are in `received`; see `build_rmpp_answer`.
    void answer(mad_view received, rmpp_header const& header) noexcept
    {
        build_rmpp_answer(received, header, mad_);
        filled_ = true;
    }
    /// An ABORT with this status, or with `resources_exhausted` a STOP.
    void refuse(mad_view received, rmpp_status status, std::uint8_t response_time = rmpp_no_response_time) noexcept
    {
        auto const type = status == rmpp_status::resources_exhausted ? rmpp_type::stop : rmpp_type::abort;
        answer(received, {.version = rmpp_version,
                             .type = type,
                             .response_time = response_time,
                             .flags = rmpp_flag::active,
                             .status = status});
    }

private:
    bool filled_ = false;
    std::array<std::byte, mad_size> mad_; // NOLINT: filled before it is shown
};

} // namespace madrigal::engine
