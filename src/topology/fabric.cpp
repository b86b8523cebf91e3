#include <madrigal/topology/fabric.hpp>

#include <fmt/format.h>

#include <utility>

namespace madrigal::topology {

std::string canonical_id(node_type type, guid node_guid)
{
    char const letter = type == node_type::switch_ ? 'S' : type == node_type::router ? 'R' : 'H';
    return fmt::format("{}-{:016x}", letter, node_guid.value());
}

port* fabric::port_at(endpoint end) noexcept
{
    if (end.node >= nodes_.size() || end.port == 0 || end.port > nodes_[end.node].ports.size())
        return nullptr;
    return &nodes_[end.node].ports[end.port - 1U];
}

node_index fabric::add(node value)
{
    auto const index = static_cast<node_index>(nodes_.size());
    if (value.node_guid)
        by_guid_.try_emplace(value.node_guid.value(), index);
    if (!value.id.empty())
        by_id_.try_emplace(value.id, index);
    nodes_.push_back(std::move(value));
    return index;
}

bool fabric::connect(endpoint a, endpoint b)
{
    auto* const one = port_at(a);
    auto* const other = port_at(b);
    if (one == nullptr || other == nullptr || one->peer || other->peer)
        return false;
    one->peer = b;
    other->peer = a;
    return true;
}

bool fabric::disconnect(endpoint end)
{
    auto* const one = port_at(end);
    if (one == nullptr || !one->peer)
        return false;
    for (auto* const side : {port_at(one->peer), one}) {
        side->peer = {};
        side->width = link_width::none;
        side->speed = link_speed::none;
    }
    return true;
}

node_index fabric::find(guid node_guid) const noexcept
{
    auto const found = by_guid_.find(node_guid.value());
    return found == by_guid_.end() ? no_node : found->second;
}

node_index fabric::find(std::string_view id) const
{
    auto const found = by_id_.find(id);
    return found == by_id_.end() ? no_node : found->second;
}

std::vector<node_index> fabric::find_all(guid node_guid) const
{
    std::vector<node_index> all;
    auto const first = find(node_guid);
    if (first == no_node)
        return all;
    for (auto index = first; index != nodes_.size(); ++index)
        if (nodes_[index].node_guid == node_guid)
            all.push_back(index);
    return all;
}

std::vector<node_index> fabric::find_all_by_description(std::string_view description) const
{
    std::vector<node_index> all;
    for (node_index index = 0; index != nodes_.size(); ++index)
        if (nodes_[index].description == description)
            all.push_back(index);
    return all;
}

endpoint fabric::find_port(guid port_guid) const noexcept
{
    if (!port_guid)
        return {};
    for (node_index index = 0; index != nodes_.size(); ++index) {
        auto const& candidate = nodes_[index];
        if (candidate.port_guid == port_guid)
            return {index, 0};
        for (unsigned number = 1; number <= candidate.ports.size(); ++number)
            if (candidate.ports[number - 1].port_guid == port_guid)
                return {index, static_cast<std::uint8_t>(number)};
    }
    return {};
}

fabric_counts fabric::counts() const noexcept
{
    fabric_counts counted;
    for (node_index index = 0; index != nodes_.size(); ++index) {
        auto const& here = nodes_[index];
        switch (here.type) {
        case node_type::switch_: ++counted.switches; break;
        case node_type::router: ++counted.routers; break;
        case node_type::ca: ++counted.cas; break;
        }
        for (unsigned number = 1; number <= here.ports.size(); ++number) {
            // A cable is counted at its lower end; the only end of a loopback plug is its lower one.
            endpoint const end{index, static_cast<std::uint8_t>(number)};
            if (auto const peer = here.ports[number - 1].peer; peer && end <= peer)
                ++counted.links;
        }
    }
    return counted;
}

} // namespace madrigal::topology
