// The emulated kernel behind a Unix socket.
#pragma once

#include "conformance/world.hpp"

namespace madrigal::conformance {

/// The emulated world, which a server has in a thread of its own; the port is reached through the server's socket.
[[nodiscard]] std::unique_ptr<world> make_shared_world();

} // namespace madrigal::conformance
