// What the subnet management interface of a node does with a directed-route SMP (IBA 14.2.2).
#pragma once

#include <madrigal/wire/smp.hpp>

#include <cstdint>
#include <span>

namespace madrigal::sim {

/// Where a directed-route SMP goes from a node.
struct directed_route_step {
    enum class way : std::uint8_t {
        discard, ///< hop pointer, hop count and node type do not go together
        leave,   ///< by `port`, over a link
        by_lid,  ///< LID routed from here, to `destination`
        consume, ///< this node is meant
    };
    way go = way::discard;
    std::uint8_t port = 0;
    std::uint16_t destination = 0;
};

/// The step for an SMP that its own node sends: `sent` hop pointer and all, as its agent wrote it. Moves the hop
/// pointer.
[[nodiscard]] directed_route_step step_from_inside(std::span<std::byte, mad_size> smp) noexcept;

/// The step for an SMP that came in by a port and is addressed to this node's management: permissive, or its LID. Moves
/// the hop pointer and fills the return path.
[[nodiscard]] directed_route_step step_from_outside(
    std::span<std::byte, mad_size> smp, bool is_switch, std::uint8_t arrived_by) noexcept;

} // namespace madrigal::sim
