// From an address that a person or a file names to a destination for GMPs: the LID and, where one is needed, the GRH.
#pragma once

#include <madrigal/fabric/discover.hpp>
#include <madrigal/runtime/destination.hpp>
#include <madrigal/umad/host.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <variant>

namespace madrigal {

/// A LID, the GUID of a port or of a node, or a GID.
using address = std::variant<lid, guid, gid>;

/// Where a GMP from this port goes to get to an address, as far as the port's own attributes tell; nothing where it
/// takes a sweep to know.
///
/// On InfiniBand a LID is a destination as it is, and the port's own GUID and GIDs are at its own LID. On Ethernet
/// (RoCE) a GID is a destination as it is, with a GRH.
///
/// Errors, errc::invalid_argument with what to do: on InfiniBand a port that has no LID itself or is not Active, so
/// that neither a GMP nor its answer can travel, and a GID of another subnet (its router's LID is the SA's knowledge);
/// on Ethernet a LID or a GUID, since there is neither a LID nor a subnet management agent there.
[[nodiscard]] result<std::optional<destination>> reach_directly(umad::port_attributes const& from, address const& to);

/// The port itself: its LID on InfiniBand, its first GID that is not zero on Ethernet. Errors as `reach_directly`.
[[nodiscard]] result<destination> reach_itself(umad::port_attributes const& own);

/// The place of the GID in the port's own table that a GRH to `to` should have as its source: of the same prefix where
/// there is one (an IPv4 address goes to an IPv4 address, a link-local one to a link-local one), else the first that is
/// not zero.
[[nodiscard]] std::uint8_t source_gid_index(umad::port_attributes const& from, gid const& to) noexcept;

/// The base LID of the port with this GUID, or of the port of the node with this GUID that the sweep came in by; a port
/// GUID comes before a node GUID. errc::no_such_node, also where the port has no LID.
[[nodiscard]] result<lid> locate_lid(discovery const& in, guid wanted);

/// The same as `reach_directly`, with a sweep for GUIDs and for GIDs of this subnet where that is needed. Further
/// errors: those of `discover` and `locate_lid`. Run it on the loop of the port.
[[nodiscard]] asio::awaitable<result<destination>> reach(
    port from, address to, discover_options options = discover_options{});

} // namespace madrigal
