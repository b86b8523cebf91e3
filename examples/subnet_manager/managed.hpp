// What the manager of a subnet knows, shared by its sweeps and its subnet administration. All of it belongs to the
// loop.
#pragma once

#include "settings.hpp"

#include <madrigal/engine/multicast_registry.hpp>
#include <madrigal/engine/service_registry.hpp>
#include <madrigal/engine/subscription_registry.hpp>
#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/subnet/kept_answers.hpp>
#include <madrigal/subnet/managed_subnet.hpp>
#include <madrigal/subnet/mastership.hpp>
#include <madrigal/subnet/sa_server.hpp>
#include <madrigal/subnet/switch_tables.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace sm {

using subnet = madrigal::managed_subnet;
using madrigal::end_port;
using madrigal::topology::endpoint;
using madrigal::topology::node_index;

/// What is counted for the metrics.
struct counters {
    std::uint64_t heavy_sweeps = 0;
    std::uint64_t light_sweeps = 0;
    std::uint64_t sweep_smps = 0;     ///< sent by heavy sweeps
    std::uint64_t configure_smps = 0; ///< sent to make the subnet as it should be
    std::uint64_t failed_smps = 0;
    std::uint64_t traps = 0;
    std::uint64_t reports = 0;
};

struct managed {
    madrigal::port port;
    settings with;
    madrigal::smp_client client;        ///< of sweeps, and of what they lead to
    madrigal::smp_client on_behalf;     ///< asks nodes what clients want to know, which no sweep waits for
    madrigal::sa_server administration; ///< paused while this subnet manager is not the master

    /// As the last heavy sweep has found it; null before the first. Who goes on using it after others had their turn
    /// keeps a copy of the pointer.
    std::shared_ptr<subnet> now;
    /// What its nodes have answered since on behalf of clients, by attribute.
    std::map<std::uint16_t, std::shared_ptr<madrigal::kept_answers>> asked;
    madrigal::switch_tables written;       ///< what switches have
    std::vector<madrigal::seen_sm> others; ///< subnet managers, as of the last sweep, also silent ones
    std::function<madrigal::sm_info()> self;

    std::set<madrigal::guid> registered; ///< ports whose clients have been asked to register with us
    madrigal::engine::multicast_registry groups;
    madrigal::engine::service_registry services;
    madrigal::engine::subscription_registry subscriptions;
    /// Called when multicast tables must be written anew.
    std::function<void()> groups_changed;
    sm::counters counted;

    /// The port that has a GID of this subnet; null for any other.
    [[nodiscard]] end_port const* find(madrigal::gid const& gid) const { return now ? now->find(gid) : nullptr; }
};

} // namespace sm
