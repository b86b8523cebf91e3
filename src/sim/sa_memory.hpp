// What subnet administration keeps of what it has been told.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/wire/attributes/inform_info.hpp>
#include <madrigal/wire/attributes/mc_member_record.hpp>
#include <madrigal/wire/attributes/service_record.hpp>
#include <madrigal/wire/types.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace madrigal::sim {

/// A service that somebody offers.
struct kept_service {
    service_record record;
    time_point lease_end = never;
};

/// A port that has joined a group.
struct group_member {
    gid port;
    flags<join_state> states;
    bool proxy = false;
};

/// A multicast group: what all its members have in common, and who they are.
struct multicast_group {
    mc_member_record common;
    std::vector<group_member> members;
};

/// A subscription to notices.
struct subscription {
    gid subscriber;
    std::uint32_t qpn = 0;
    std::uint16_t number = 0; ///< among the subscriber's
    inform_info wanted;       ///< with Subscribe 1 and QPN 0
};

/// All of it, within bounds: what would be more is refused for want of resources.
struct sa_memory {
    static constexpr std::size_t most_services = 4096;
    static constexpr std::size_t most_groups = 4096;
    static constexpr std::size_t most_members = 65'536; ///< of all groups together
    static constexpr std::size_t most_subscriptions = 4096;

    std::vector<kept_service> services;
    std::vector<multicast_group> groups;
    std::size_t members = 0; ///< of all groups
    std::vector<subscription> subscriptions;
};

} // namespace madrigal::sim
