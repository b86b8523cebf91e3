// Shortest ways from every switch to every LID, spread over the links that lead there.
#pragma once

#include <sim/core.hpp>

namespace madrigal::sim {

/// Fills every switch's forwarding table for all LIDs that are set. LIDs that cannot be reached get no entry.
void fill_forwarding_tables(core& of);

} // namespace madrigal::sim
