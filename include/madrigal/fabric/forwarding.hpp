// Where switches send LIDs, and the directed route that a LID stands for.
#pragma once

#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/wire/attributes/linear_forwarding_table.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <vector>

namespace madrigal {

/// The linear forwarding table of a switch: entry `i` is the port to leave by for LID `i`, 255 for none. It ends at
/// LinearFDBTop, so that the last block asked for is top div 64 (IBA 14.2.5.10); a top beyond the unicast LIDs counts
/// as 0xBFFF. Errors: those of `smp_client::get`.
[[nodiscard]] asio::awaitable<result<std::vector<std::uint8_t>>> read_forwarding_table(smp_client over, destination to);

/// The way that packets to a LID take from the local node, as a directed route, found by asking each switch on it for
/// its forwarding entry. It can be used where mixed routing does not work.
///
/// Errors: errc::no_such_node where a table has no entry for the LID, leads in circles or over more than 63 hops, or to
/// a node that does not have the LID; the context says where. Errors of the questions themselves.
[[nodiscard]] asio::awaitable<result<directed_route>> find_route(smp_client over, lid to);

} // namespace madrigal
