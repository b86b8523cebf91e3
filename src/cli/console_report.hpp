// What the console shows: nodes, ports, counters, faults.
#pragma once

#include <madrigal/remote/server.hpp>
#include <madrigal/sim/fabric.hpp>

#include <string>

namespace madrigal::cli {

/// `S-0002c90200419cb8 "leaf-001"`
[[nodiscard]] std::string node_text(sim::fabric const& of, topology::node_index node);
/// `S-0002c90200419cb8 "leaf-001" port 5`
[[nodiscard]] std::string port_text(sim::fabric const& of, topology::endpoint port);
/// The state of a port's link in words: `Down, Polling, unplugged`.
[[nodiscard]] std::string link_state_text(sim::fabric::port_view const& port);

/// One line: what a node is, whether it runs, its LIDs, how many of its ports are in which state.
[[nodiscard]] std::string node_summary(sim::fabric const& of, topology::node_index node);
/// That, and a line for each of its ports.
[[nodiscard]] std::string node_dump(sim::fabric const& of, topology::node_index node);

/// All counters of a port, a line each.
[[nodiscard]] std::string port_counters_text(sim::fabric const& of, topology::endpoint port);
/// Those that have counted something, of all ports of a node: a line for each port.
[[nodiscard]] std::string node_counters_text(sim::fabric const& of, topology::node_index node);
/// What became of the fabric's packets.
[[nodiscard]] std::string fabric_counters_text(sim::fabric_counters const& counts);
[[nodiscard]] std::string server_counters_text(remote::server_counters const& counts);
/// `loss 0.01, duplicate 0, latency 20us, jitter 0, service 0`
[[nodiscard]] std::string faults_text(sim::fault_options const& faults);

} // namespace madrigal::cli
