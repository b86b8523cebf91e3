// Answers questions about paths (PathRecord, IBA 15.2.5.16) from a subnet's forwarding tables.
#pragma once

#include <madrigal/engine/multicast_registry.hpp>
#include <madrigal/subnet/managed_subnet.hpp>
#include <madrigal/subnet/sa_asked.hpp>
#include <madrigal/subnet/sa_records.hpp>
#include <madrigal/wire/attributes/path_record.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>

namespace madrigal {

/// For a handler of Get: the path from one port to one other, or to a group. All ports are taken to be full members of
/// the default partition. Gives a status of the answer: without a source or a destination sa_insufficient_components,
/// for a GID that nobody has sa_invalid_gid, for no paths at all (NumbPath 0) sa_request_invalid.
[[nodiscard]] std::uint16_t answer_path(managed_subnet const& of, engine::multicast_registry const& groups,
    sa_asked<path_record> const& asked, sa_records<path_record>& out);

/// For a handler of GetTable: the paths between each pair of ports that is asked for, all pairs where none is named.
/// They are as many as the ports have LIDs, but at most NumbPath for a pair, 127 where that is not said.
[[nodiscard]] asio::awaitable<std::uint16_t> answer_paths(std::shared_ptr<managed_subnet const> of,
    engine::multicast_registry const& groups, sa_asked<path_record> const& asked, sa_records<path_record>& out);

} // namespace madrigal
