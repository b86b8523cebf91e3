#include <sim/sa_subnet.hpp>

#include <sim/gid_table.hpp>

#include <algorithm>

namespace madrigal::sim {
namespace {

/// The first end port of a running node for which `is_it` holds.
template <class Predicate>
std::optional<subnet_port> find_port(core const& of, Predicate const& is_it)
{
    for (topology::node_index index = 0; index != of.nodes.size(); ++index) {
        auto const& owner = of.nodes[index];
        if (!owner.running())
            continue;
        for (std::size_t number = 0; number != owner.ports.size(); ++number) {
            auto const& end = owner.ports[number].end;
            if (end && end->base_lid != 0 && is_it(*end))
                return subnet_port{{index, static_cast<std::uint8_t>(number)}, owner, *end};
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<subnet_port> reached_from(core const& of, topology::endpoint from)
{
    std::vector<topology::endpoint> found;
    std::vector<bool> seen(of.nodes.size()); // of switches
    // Whatever leads there, a switch is its port 0; a CA or router passes nothing on.
    auto const find = [&](topology::endpoint end) {
        auto const& here = of.nodes[end.node];
        if (!here.running() || (here.is_switch() && seen[end.node]))
            return;
        seen[end.node] = here.is_switch();
        found.push_back({end.node, static_cast<std::uint8_t>(here.end_number(end.port))});
    };
    find(from);
    for (std::size_t i = 0; i != found.size(); ++i) {
        auto const here = found[i];
        auto const& ports = of.nodes[here.node].ports;
        auto const follow = [&](port const& out) {
            if (of.link_is_up(out))
                find(out.cable);
        };
        if (of.nodes[here.node].is_switch())
            std::for_each(ports.begin() + 1, ports.end(), follow);
        else if (here == from)
            follow(ports[here.port]);
    }
    std::sort(found.begin(), found.end());
    // Of two CAs that are cabled to each other the first one was found twice.
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::vector<subnet_port> all;
    all.reserve(found.size());
    for (auto const& at : found) {
        auto const& owner = of.nodes[at.node];
        auto const& end = *owner.ports[at.port].end;
        if (end.base_lid != 0)
            all.push_back({at, owner, end});
    }
    return all;
}

std::optional<subnet_port> port_with(core const& of, lid wanted)
{
    return find_port(of, [&](end_port const& end) { return core::owns(end, wanted.value()); });
}

std::optional<subnet_port> port_with(core const& of, gid const& wanted)
{
    return find_port(of, [&](end_port const& end) {
        return end.subnet_prefix == wanted.subnet_prefix() && wanted.interface_id() &&
               (end.port_guid == wanted.interface_id() || gid_index_of(end, wanted) != 0);
    });
}

} // namespace madrigal::sim
