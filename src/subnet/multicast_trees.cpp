#include "subnet/switch_graph.hpp"

#include <madrigal/subnet/multicast_trees.hpp>

#include <algorithm>
#include <tuple>

namespace madrigal {
namespace {

/// A switch that has not even room for one block of groups has none, whatever it says. One that has said nothing may be
/// asked again.
bool forwards_groups(managed_subnet const& of, topology::node_index index)
{
    auto const& info = of.found.attributes[index].switch_info;
    return info == switch_info{} || info.multicast_fdb_cap >= std::tuple_size_v<port_mask_block>;
}

} // namespace

std::uint16_t most_groups(managed_subnet const& of) noexcept
{
    std::uint16_t most = engine::most_multicast_lids;
    for (auto const index : of.switches)
        if (auto const entries = of.found.attributes[index].switch_info.multicast_fdb_cap;
            entries != 0 && forwards_groups(of, index))
            most = std::min(most, entries);
    return most;
}

multicast_trees::multicast_trees(managed_subnet const& of)
    : of_{of}, up_(of.switches.size()), blocks_(of.switches.size())
{
    auto const graph = detail::graph_of(of, [&](auto index) { return forwards_groups(of, index); });
    std::vector<bool> reached(graph.size());
    auto const grow_from = [&](unsigned root) {
        reached[root] = true;
        up_[root].root = root;
        auto i = leaves_first_.size();
        leaves_first_.push_back(root);
        for (; i != leaves_first_.size(); ++i) {
            auto const from = leaves_first_[i];
            for (auto const& link : graph[from])
                if (!reached[link.peer]) {
                    reached[link.peer] = true;
                    up_[link.peer] = {from, of.peer({of.switches[from], link.port}).port, link.port, false, root};
                    leaves_first_.push_back(link.peer);
                }
        }
    };
    if (!graph.empty())
        grow_from(detail::center(graph));
    for (unsigned s = 0; s != graph.size(); ++s)
        if (!reached[s])
            grow_from(s);
    std::reverse(leaves_first_.begin(), leaves_first_.end());
}

void multicast_trees::set_port(unsigned switch_number, lid group, unsigned port)
{
    constexpr unsigned ports_in_mask = 16;
    auto const place = multicast_block_of(group) | (port / ports_in_mask) << 28;
    auto& mask = blocks_[switch_number][place][multicast_entry_of(group)];
    mask = static_cast<std::uint16_t>(mask | 1U << port % ports_in_mask);
}

void multicast_trees::add(lid group, std::span<tree_member const> members)
{
    std::vector<unsigned> below(up_.size()); // members at a switch and farther down
    std::vector<unsigned> total(up_.size()); // in a part, by its root
    for (auto const& member : members) {
        auto const end = member.port->at;
        auto const at = of_.is_switch(end.node) ? topology::endpoint{end.node, 0} : of_.peer(end);
        if (!at || !of_.is_switch(at.node))
            continue;
        auto const s = of_.switch_number(at.node);
        if (!forwards_groups(of_, at.node))
            continue;
        ++below[s];
        ++total[up_[s].root];
        if (member.receives)
            set_port(s, group, at.port);
    }
    // A cable is part of the group's tree where there are members on both sides of it.
    for (auto const s : leaves_first_) {
        if (up_[s].is_root || below[s] == 0)
            continue;
        if (below[s] != total[up_[s].root]) {
            set_port(s, group, up_[s].to_parent);
            set_port(up_[s].parent, group, up_[s].from_parent);
        }
        below[up_[s].parent] += below[s];
    }
}

void multicast_trees::add(engine::multicast_registry const& groups)
{
    for (auto const& [mlid, group] : groups.groups()) {
        std::vector<tree_member> members;
        for (auto const& [gid, member] : group.members)
            if (auto const* const end = of_.find(gid.interface_id()))
                members.push_back(
                    {end, member.states.has(join_state::full_member) || member.states.has(join_state::non_member)});
        add(mlid, members);
    }
}

} // namespace madrigal
