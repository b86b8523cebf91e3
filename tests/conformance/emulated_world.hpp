// The emulated kernel under a clock of its own.
#pragma once

#include "conformance/world.hpp"

namespace madrigal::conformance {

/// Two hosts behind one switch, configured; the port is the first host's.
[[nodiscard]] std::unique_ptr<world> make_emulated_world();

} // namespace madrigal::conformance
