// The mode `request`: closed loops of all peers, alternating.
#pragma once

#include "options.hpp"
#include "venue.hpp"

namespace madrigal::bench {

/// Runs it for each window and prints what came of it. Errors: what the first peer that failed says.
[[nodiscard]] result<void> run_request_mode(venue const& on, settings const& wanted);

} // namespace madrigal::bench
