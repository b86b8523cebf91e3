// Sampling of a port's counters over an interval (IBA 16.1.3.2 to 16.1.3.4).
#pragma once

#include <sim/event_queue.hpp>

#include <madrigal/topology/fabric.hpp>
#include <madrigal/wire/attributes/port_samples.hpp>

#include <cstdint>

namespace madrigal::sim {

/// The one sampling mechanism of a node. An event: when it starts, and when it is done.
///
///     done ── Set ──> waiting ── SampleStart ticks ──> running ── SampleInterval ticks ──> done
struct port_samples : event {
    topology::node_index node = topology::no_node;
    port_samples_control control; ///< as it was set
    sample_counters64 at_start{};
    sample_counters64 counted{}; ///< when it is done
};

} // namespace madrigal::sim
