// What a subnet manager would have done: LIDs, forwarding tables, ACTIVE ports.
#pragma once

#include <sim/core.hpp>

namespace madrigal::sim {

/// Brings a fabric that stands as cabled into the configured state. errc::invalid_argument where it cannot be: LIDs
/// that overlap or are none, more ports than unicast LIDs, an SM's place that does not exist.
error configure(core& of);

} // namespace madrigal::sim
