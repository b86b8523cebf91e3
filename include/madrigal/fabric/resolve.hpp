// From a GUID, a LID or a name to a directed route, by what a sweep found.
#pragma once

#include <madrigal/fabric/discover.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace madrigal {

/// A node or port that somebody asked for.
struct located {
    directed_route route;                          ///< the shortest way that ends at the port, or at the node
    topology::node_index node = topology::no_node; ///< in `discovery::fabric`
    std::uint8_t port = 0; ///< the port asked for, 0 for a switch; the one entered by where a node was asked for
};

/// The node or port with this GUID; a node GUID comes before a port GUID. The way to a port of a CA ends at that port.
/// errc::no_such_node; where the sweep is incomplete the context says so.
[[nodiscard]] result<located> locate(discovery const& in, guid wanted);
/// The port that has this LID, its LMC considered. errc::no_such_node, errc::invalid_argument for no unicast LID.
[[nodiscard]] result<located> locate(discovery const& in, lid wanted);
/// What a person means: `topology::find_named`, and port GUIDs.
[[nodiscard]] result<located> locate(discovery const& in, std::string_view wanted);

/// Sweeps and locates. Errors: those of `discover` and `locate`; an incomplete sweep that found it is good enough.
[[nodiscard]] asio::awaitable<result<located>> resolve(
    port on, guid wanted, discover_options options = discover_options{});
[[nodiscard]] asio::awaitable<result<located>> resolve(
    port on, lid wanted, discover_options options = discover_options{});
[[nodiscard]] asio::awaitable<result<located>> resolve(
    port on, std::string wanted, discover_options options = discover_options{});

} // namespace madrigal
