// Walks a subnet along directed routes, many nodes at a time.
#pragma once

#include <madrigal/fabric/discover_options.hpp>
#include <madrigal/fabric/discovery.hpp>
#include <madrigal/fabric/smp_client.hpp>

#include <boost/asio/awaitable.hpp>

namespace madrigal {

/// Sweeps the subnet behind a port, breadth first, with an agent of its own. Each node is asked for NodeInfo by each
/// cable that leads to it (which is how cables are found), once for NodeDescription and, a switch, SwitchInfo; each
/// port once for PortInfo, and for the maker's FDR10 attribute where PortInfo cannot tell FDR10 from QDR. A cable
/// between switches is looked at from both ends, so that nodes which share a GUID are told apart.
///
/// What stays unanswered after `attempts` is in `discovery::problems`; then `discovery::complete()` is false.
/// The topology and the order of everything do not depend on `outstanding` or on the order of the answers.
///
/// Errors: the local node does not answer (errc::timeout or its status), errc::device_gone, errc::agent_closed,
/// operation_aborted when cancelled (any type), errc::invalid_argument for options that cannot be.
/// Run it on the loop of the port.
[[nodiscard]] asio::awaitable<result<discovery>> discover(port on, discover_options options = discover_options{});

/// The same over a client that is also used otherwise. The client's window and limit per destination hold besides
/// those of the options; the keys are those of the options.
[[nodiscard]] asio::awaitable<result<discovery>> discover(
    smp_client over, discover_options options = discover_options{});

} // namespace madrigal
