// The way that the forwarding tables give to a LID, and what it is good for.
#pragma once

#include <sim/core.hpp>

#include <madrigal/wire/path_fields.hpp>

#include <cstdint>
#include <optional>

namespace madrigal::sim {

/// What the links of a way have in common.
struct route {
    mtu largest_packet = mtu::bytes_4096;
    path_rate rate = path_rate::gbps_1200;
    std::uint8_t life_time = 0; ///< 4.096 us times 2 to this power; 0 where nothing is on the way
};

/// The way of a packet from an end port to a LID through ports that are up and ACTIVE; nothing where it would be
/// dropped, or goes in circles.
[[nodiscard]] std::optional<route> route_to(core const& of, topology::endpoint from, std::uint16_t destination);

} // namespace madrigal::sim
