// Which ports a node has, for questions that name one of them.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/runtime/destination.hpp>
#include <madrigal/runtime/options.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/wire/types.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>

namespace madrigal {

/// What a node says of its ports.
struct node_ports {
    node_type type = node_type::ca;
    std::uint8_t first = 1; ///< 0 for a switch whose port 0 is an enhanced one, which counts as others do
    std::uint8_t last = 0;
    std::uint8_t asked_through = 0; ///< the port that has the LID asked at; 0 of a switch

    friend bool operator==(node_ports const&, node_ports const&) = default;
};

/// Asks the node at the LID of `to` by SMPs: NodeInfo, and SwitchInfo of a switch. Errors: those of `smp_client::get`;
/// errc::invalid_argument where `to` has no LID; errc::malformed_answer for a node without ports.
[[nodiscard]] asio::awaitable<result<node_ports>> find_node_ports(
    port on, destination to, request_options options = {});

} // namespace madrigal
