// Who does the work: the runtime, and those it is compared with.
#pragma once

#include "meter.hpp"
#include "venue.hpp"

#include <madrigal/error.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace madrigal::bench {

/// One way to do the work. Each run opens and registers what it needs anew, which is not measured, and ends when
/// nothing is outstanding.
struct peer {
    using run = result<measured> (*)(venue const&, load_options const&);

    std::string_view name;
    bool is_runtime = false;                            ///< what is measured, instead of what it is measured by
    std::optional<std::string> (*absent)(venue const&); ///< why it cannot work here; nothing where it can
    run request = nullptr;                              ///< a closed loop
    run send = nullptr;                                 ///< sends that want no answer; null where it has none
    run open = nullptr;                                 ///< an open loop; null where it has none
};

/// The floor: non-blocking writes and reads with epoll, an answer matched with its request by one look into an array.
[[nodiscard]] peer raw_peer() noexcept;
/// The same loops through the distribution's libibumad, as most programs use it: umad_send(3), and umad_recv(3) with a
/// timeout, which polls before it reads a packet.
[[nodiscard]] peer libibumad_peer() noexcept;
/// The most that can be made of it: umad_recv(3) without a timeout until nothing is left, then umad_poll(3).
[[nodiscard]] peer drained_libibumad_peer() noexcept;
/// What OpenSM's vendor layer makes of libibumad: a thread that receives, one that sends, and between them a table of
/// 1,000 requests under a mutex, searched from its beginning.
[[nodiscard]] peer opensm_style_peer() noexcept;
/// The runtime: as many coroutines as the window has places, each asking again and again.
[[nodiscard]] peer coroutine_peer() noexcept;
/// The runtime with completion handlers instead.
[[nodiscard]] peer handler_peer() noexcept;

/// Why a peer over libibumad is missing in a build without it.
[[nodiscard]] inline std::optional<std::string> built_without_libibumad(venue const&)
{
    return "built without it: package libibumad-dev";
}

/// All of them; those of the runtime last, so that in each round the others come just before.
[[nodiscard]] std::span<peer const> all_peers() noexcept;
/// `raw, libibumad, …`
[[nodiscard]] std::string peer_names();

} // namespace madrigal::bench
