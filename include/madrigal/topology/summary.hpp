// A fabric in a few lines.
#pragma once

#include <madrigal/topology/fabric.hpp>

#include <cstddef>
#include <map>
#include <string>

namespace madrigal::topology {

/// How many cables run at which rate: `4xHDR`; `4xSDR/1xSDR` where the two ends differ, wider and faster first;
/// `not told` where neither end tells. One end's word is enough.
[[nodiscard]] std::map<std::string, std::size_t> link_rates(fabric const& of);

/// Switches, CAs, routers, links and the links by rate, one a line.
[[nodiscard]] std::string summary(fabric const& of);

} // namespace madrigal::topology
