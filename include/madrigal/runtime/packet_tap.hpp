// What somebody who listens to a port is shown: every packet, both ways.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/umad/host.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/link_packet.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace madrigal {

/// Which way a packet went.
enum class tap_direction : std::uint8_t {
    sent,     ///< the kernel has taken it
    received, ///< it came from the kernel
};

/// One packet as it was written to or read from a umad file. Borrows everything; valid during the call only.
///
/// What the kernel does is not seen: that it sends a request again when no answer comes, puts its own number into the
/// upper half of a request's transaction id (the answer carries it, so the lower halves pair them), and moves the hop
/// pointer of a directed-route SMP.
struct tapped_packet {
    tap_direction direction;
    /// The reactor's time, told as wall-clock time: the two are compared once, when the tap is put on.
    std::chrono::sys_time<std::chrono::nanoseconds> when;
    umad::ib_user_mad_hdr const& header; ///< in its 64-byte form
    std::span<std::byte const> mad;      ///< 24 bytes at least
    umad::port_attributes const& port;   ///< what the port was when it was opened
};

/// Is shown the packets, on the loop's thread and in their order. An error (or an exception) ends that: it is logged
/// once, and the sink is destroyed. It must not send or receive through the port that it listens to, but may put
/// another sink in its own place, and may close agents and ports, which then end when the loop runs next.
using packet_sink = std::function<result<void>(tapped_packet const&)>;

/// The headers with which the packet went over the link, as far as the kernel tells. Where it does not: own LID and
/// GIDs are those of the port when it was opened (the permissive LID where the peer's is); QP 0 and VL 15 for SMPs, QP
/// 1 and VL 0 for all else; the P_Key is the default one where the index leads nowhere; a received packet has its QP's
/// well-known Q_Key; the sequence number is 0.
[[nodiscard]] mad_route route_of(tapped_packet const& packet) noexcept;

} // namespace madrigal
