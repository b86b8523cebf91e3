// Walks a subnet along directed routes, many nodes at a time.
#pragma once

#include <madrigal/fabric/discovery.hpp>
#include <madrigal/fabric/smp_client.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace madrigal {

/// How far a sweep has come.
struct discover_progress {
    std::size_t nodes = 0;   ///< found so far
    std::size_t links = 0;   ///< found so far; a link counts when both ends have been seen
    std::uint64_t smps = 0;  ///< questions sent so far
    std::size_t waiting = 0; ///< questions known that still have to be asked
};

/// How a sweep asks.
struct discover_options {
    discover_options() {} // NOLINT: no aggregate, so that GCC 12 does not destroy one in braces twice in a `co_await`

    unsigned outstanding = 64;              ///< SMPs on the wire at a time
    unsigned per_destination = 4;           ///< of them to one node; 0: no limit
    std::chrono::milliseconds timeout{200}; ///< of one transmission
    unsigned retries = 2;                   ///< by the kernel: N retries are N + 1 transmissions
    unsigned attempts = 3;                  ///< how often a question is asked in all, the later ones when there is
                                            ///< nothing new to ask; at least 1
    std::size_t max_nodes = 200'000;        ///< an end for a fabric that makes nodes up; what is beyond is a problem
    std::optional<unsigned> max_hops;       ///< only the nodes within so many hops; without it all that can be reached
    m_key_table keys;
    /// Called from the loop, for each node found and now and then between; cheap calls only.
    std::function<void(discover_progress const&)> on_progress;
    /// The clock for `sweep_statistics::elapsed`: the machine's steady clock where null. Not owned.
    time_source const* time = nullptr;
};

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
