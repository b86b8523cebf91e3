// The emulated kernel under a clock of its own.
#pragma once

#include "conformance/world.hpp"

#include <madrigal/sim/fabric.hpp>

namespace madrigal::conformance {

/// Two hosts behind one switch, configured; the port is the first host's.
[[nodiscard]] std::unique_ptr<world> make_emulated_world();

/// Their fabric.
[[nodiscard]] std::shared_ptr<sim::fabric> make_small_fabric(time_source& clock);
/// Gives the world's port, which has just been plugged, its LIDs of before, and makes it ACTIVE.
void configure_again(world& on, umad::port_attributes const& before);

} // namespace madrigal::conformance
