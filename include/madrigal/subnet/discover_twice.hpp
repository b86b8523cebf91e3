// A sweep that is to be acted on.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/fabric/discover_options.hpp>
#include <madrigal/fabric/discovery.hpp>
#include <madrigal/fabric/smp_client.hpp>

#include <boost/asio/awaitable.hpp>

namespace madrigal {

/// `discover`, and once more where the answers contradict each other. Cables and nodes that come and go during a sweep
/// can look like two nodes with one GUID, or like none; the second sweep tells what is there to stay. It is believed
/// whatever it finds. The statistics are those of both; a switch that has said in the first one that a port has changed
/// has said so (see `discover_options::clear_port_state_change`). Errors: those of `discover`.
[[nodiscard]] asio::awaitable<result<discovery>> discover_twice(smp_client by, discover_options options);

} // namespace madrigal
