// How a peer without the runtime reaches the wire: what the loops below it are written over.
#pragma once

#include "question_packet.hpp"

#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/mad.hpp>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace madrigal::bench {

/// What one read gave.
struct taken {
    enum class kind : std::uint8_t {
        nothing, ///< no packet waits
        answer,
        lost,   ///< the kernel reports that no answer came
        failed, ///< `number` is the errno
    };
    kind what = kind::nothing;
    std::uint32_t id = 0; ///< lower half of the transaction id
    int number = 0;

    static taken failure(int number) noexcept { return {kind::failed, 0, number}; }
    /// A packet as it was read, header of 64 bytes first.
    static taken of(std::span<std::byte const> packet) noexcept
    {
        if (packet.size() < umad::header_size + mad_header_size)
            return failure(EBADMSG);
        mad_view const mad{packet.subspan(umad::header_size)};
        auto const id = static_cast<std::uint32_t>(mad.transaction_id());
        auto const status = reinterpret_cast<umad::ib_user_mad_hdr const*>(packet.data())->status;
        if (status == ETIMEDOUT)
            return {kind::lost, id, 0};
        // A bad MAD status is the kernel's own answer: nobody serves the class any more.
        if (status != 0 || !mad.is_response() || mad.outcome() != 0)
            return failure(EBADMSG);
        return {kind::answer, id, 0};
    }
};

/// Whether a write was refused since the destination's Ethernet address was not found in time. On such a link layer the
/// kernel looks it up with every write, for at most a second; a busy machine can miss that. Nothing was sent then: the
/// request is lost like one that nobody answers.
inline bool address_not_found(int refused) noexcept
{
    return refused == ETIMEDOUT;
}

/// The way to the wire:
///
///     int send(std::uint32_t id);                     // asks; 0 or an errno
///     taken take();                                   // one packet, without waiting
///     bool wait(std::chrono::nanoseconds at_most);    // until there is one; false when none came
template <class T>
concept transport = requires(T& over, std::uint32_t id, std::chrono::nanoseconds at_most)
{
    {
        over.send(id)
        } -> std::same_as<int>;
    {
        over.take()
        } -> std::same_as<taken>;
    {
        over.wait(at_most)
        } -> std::same_as<bool>;
};

} // namespace madrigal::bench
