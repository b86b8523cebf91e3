// What a link trains to (IBA 5.6, 14.2.5.6).
#pragma once

#include <sim/core.hpp>

#include <optional>

namespace madrigal::sim {

/// The widest and fastest that both ends of a cable have and may use; nothing where they have none in common, so that
/// the link stays down. Untouched ends keep what the topology says of them, even where it contradicts itself.
[[nodiscard]] std::optional<trained_link> train(core const& of, topology::endpoint a, topology::endpoint b);

} // namespace madrigal::sim
