// The performance management agent of every simulated node (IBA 16.1).
#pragma once

#include <sim/core.hpp>

namespace madrigal::sim {

/// True for what this agent takes before anybody else on its port, as drivers' agents do: Get and Set of its class.
[[nodiscard]] bool is_for_performance_agent(packet const& one) noexcept;

/// Turns such a request into its answer.
void answer_performance(core& of, packet& one);

} // namespace madrigal::sim
