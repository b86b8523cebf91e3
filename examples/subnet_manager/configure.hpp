// Makes the nodes of a subnet what has been decided: ports, switches, then everything active; and the ways of groups.
#pragma once

#include "managed.hpp"

#include <boost/asio/awaitable.hpp>

namespace sm {

namespace asio = boost::asio;

/// Two passes, each with all nodes at once: LIDs and link parameters are set, ports armed and tables written; then all
/// armed ports become active. What nodes answer is kept in `of` and `known.written`. Gives the number of SMPs that were
/// refused or not answered, of nodes that were given up and of ports that are not active in the end; each is logged.
/// Errors: those of `smp_work::run`; operation_aborted once `known.go_on` says no.
[[nodiscard]] asio::awaitable<madrigal::result<std::uint64_t>> configure(managed& known, subnet& of);

/// Writes the multicast tables for the groups as they are now. Gives the same.
[[nodiscard]] asio::awaitable<madrigal::result<std::uint64_t>> write_groups(managed& known, subnet& of);

} // namespace sm
