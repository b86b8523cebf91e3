// What subnet administration keeps of what it has been told.
#pragma once

#include <madrigal/engine/multicast_registry.hpp>
#include <madrigal/engine/service_registry.hpp>
#include <madrigal/engine/subscription_registry.hpp>

#include <cstddef>

namespace madrigal::sim {

/// All of it, within bounds: what would be more is refused for want of resources. One port may have all of it.
struct sa_memory {
    static constexpr std::size_t most_services = 4096;
    static constexpr std::size_t most_groups = 4096;
    static constexpr std::size_t most_members = 65'536; ///< of all groups together
    static constexpr std::size_t most_subscriptions = 4096;

    engine::service_registry services{{.most_services = most_services, .most_of_one = most_services}};
    engine::multicast_registry groups{{.most_groups = most_groups,
        .most_members = most_members,
        .most_groups_of_one = most_groups,
        .most_members_of_one = most_members}};
    engine::subscription_registry subscriptions{
        {.most_subscriptions = most_subscriptions, .most_of_one = most_subscriptions}};
};

} // namespace madrigal::sim
