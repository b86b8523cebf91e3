// Subnets to decide about: swept on a simulated fabric, or made up.
#pragma once

#include "fabric/world.hpp"

#include <madrigal/subnet/lid_assignment.hpp>
#include <madrigal/subnet/managed_subnet.hpp>
#include <madrigal/topology/generators.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace madrigal::tests {

/// The subnet of a world as a sweep finds it now.
inline managed_subnet swept(world& around)
{
    discover_options how;
    how.keep_attributes = true;
    return managed_subnet{around.sweep(how).value()};
}
inline managed_subnet swept(topology::fabric layout, sim::fabric_options options = {})
{
    world around{std::move(layout), options};
    return swept(around);
}
/// A generated shape, swept, with LIDs.
template <class Shape>
managed_subnet subnet_of(Shape const& shape, unsigned lmc = 0)
{
    auto subnet = swept(topology::generate(shape).value());
    known_lids known;
    EXPECT_TRUE(assign_lids(subnet, known, lmc));
    return subnet;
}

/// What a sweep of such a fabric would have found, of which no two parts need hang together.
inline discovery found_by_hand(topology::fabric layout)
{
    discovery found;
    for (auto const& node : layout.nodes()) {
        node_attributes said;
        said.ports.resize(node.port_count() + 1U);
        for (unsigned p = 0; p <= node.port_count(); ++p) {
            if (p == 0 && node.type != node_type::switch_)
                continue;
            auto& port = said.ports[p];
            port.mtu_cap = mtu::bytes_4096;
            port.vl_cap = virtual_lanes::vl0_7;
            port.neighbor_mtu = mtu::bytes_2048;
            port.operational_vls = virtual_lanes::vl0;
            port.state = p == 0 || node.external_port(p).peer ? port_state::init : port_state::down;
        }
        said.switch_info.linear_fdb_cap = 0xC000;
        said.switch_info.multicast_fdb_cap = 0x1000;
        found.attributes.push_back(std::move(said));
        found.routes.emplace_back();
        found.entry_ports.push_back(node.type == node_type::switch_ ? 0 : 1);
    }
    found.fabric = std::move(layout);
    return found;
}
/// The same with LIDs.
inline managed_subnet by_hand(topology::fabric layout, unsigned lmc = 0)
{
    managed_subnet subnet{found_by_hand(std::move(layout))};
    known_lids known;
    EXPECT_TRUE(assign_lids(subnet, known, lmc));
    return subnet;
}

/// The ports by which a packet leaves from one to another, or nothing where it does not get there.
inline std::optional<std::vector<topology::endpoint>> walk(
    managed_subnet const& in, topology::endpoint from, lid address, topology::endpoint to)
{
    std::vector<topology::endpoint> left_by;
    auto at = from;
    for (bool first = true; left_by.size() < 100; first = false) {
        if (at.node == to.node && (in.is_switch(to.node) || at.port == to.port))
            return left_by;
        if (in.is_switch(at.node)) {
            at.port = in.tables[in.switch_number(at.node)].at(address.value());
            if (at.port == 0 || at.port == no_route)
                return std::nullopt;
        } else if (!first) {
            return std::nullopt;
        }
        left_by.push_back(at);
        at = in.peer(at);
        if (!at)
            return std::nullopt;
    }
    return std::nullopt;
}

/// Cables from a node to each other one on the shortest way, not through CAs.
inline std::vector<unsigned> fewest_hops(managed_subnet const& in, topology::node_index from)
{
    std::vector<unsigned> hops(in.found.fabric.size(), ~0U);
    std::vector<topology::node_index> queue{from};
    hops[from] = 0;
    for (std::size_t i = 0; i != queue.size(); ++i) {
        auto const& node = in.node(queue[i]);
        if (queue[i] != from && node.type != node_type::switch_)
            continue;
        for (auto const& port : node.ports)
            if (port.peer && hops[port.peer.node] == ~0U) {
                hops[port.peer.node] = hops[queue[i]] + 1;
                queue.push_back(port.peer.node);
            }
    }
    return hops;
}

/// Which pairs of end ports do not reach each other by each of their LIDs; of two switches only where `switches`.
inline std::vector<std::string> cut_off(managed_subnet const& in, bool switches)
{
    std::vector<std::string> pairs;
    for (auto const& from : in.ends)
        for (auto const& to : in.ends) {
            if (!switches && in.is_switch(from.at.node) && in.is_switch(to.at.node))
                continue;
            for (unsigned i = 0; i != to.lid_count(); ++i)
                if (!walk(in, from.at, lid{static_cast<std::uint16_t>(to.base_lid.value() + i)}, to.at) &&
                    pairs.size() < 10)
                    pairs.push_back(in.name(from.at.node) + " to " + in.name(to.at.node));
        }
    return pairs;
}

} // namespace madrigal::tests
