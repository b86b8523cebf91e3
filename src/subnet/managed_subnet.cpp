#include <madrigal/subnet/managed_subnet.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace madrigal {
namespace {

using topology::endpoint;
using topology::node_index;

std::uint64_t place(endpoint at) noexcept
{
    return std::uint64_t{at.node} << 8 | at.port;
}

} // namespace

managed_subnet::managed_subnet(discovery discovered) : found{std::move(discovered)}
{
    auto const& nodes = found.fabric.nodes();
    switch_number_.resize(nodes.size(), none);
    auto const add = [&](endpoint at, guid of_port) { ends.push_back({at, of_port, {}, 0}); };
    // The sweep began at our own node; of its ports ours is the one it was left by. It is an end port whatever it has
    // answered: others are told that the subnet manager is at the first one.
    auto const own =
        nodes.empty() || nodes[0].type == node_type::switch_ ? endpoint{} : endpoint{0, found.entry_ports[0]};
    if (own && own.port != 0 && nodes[0].external_port(own.port).peer)
        add(own, nodes[0].external_port(own.port).port_guid.value_or(nodes[0].node_guid));
    for (node_index i = 0; i != nodes.size(); ++i) {
        auto const& one = nodes[i];
        if (one.type == node_type::switch_) {
            switch_number_[i] = static_cast<unsigned>(switches.size());
            switches.push_back(i);
            add({i, 0}, one.port_guid.value_or(one.node_guid));
            continue;
        }
        for (std::uint8_t p = 1; p <= one.port_count(); ++p)
            if (endpoint{i, p} != own && one.external_port(p).peer && info({i, p}).state >= port_state::init)
                add({i, p}, one.external_port(p).port_guid.value_or(one.node_guid));
    }
    has_own_ = !ends.empty() && ends.front().at == (own ? own : endpoint{0, 0});
    for (unsigned i = 0; i != ends.size(); ++i) {
        end_by_place_[place(ends[i].at)] = i;
        by_guid.emplace(ends[i].port_guid.value(), i);
    }
}

end_port const* managed_subnet::end_of(endpoint at) const
{
    auto const known = end_by_place_.find(place(is_switch(at.node) ? endpoint{at.node, 0} : at));
    return known == end_by_place_.end() ? nullptr : &ends[known->second];
}

end_port const* managed_subnet::find(lid address) const
{
    auto const number = address.value() < end_by_lid_.size() ? end_by_lid_[address.value()] : 0;
    return number == 0 ? nullptr : &ends[number - 1U];
}

end_port const* managed_subnet::find(guid port_guid) const
{
    auto const known = by_guid.find(port_guid.value());
    return known == by_guid.end() ? nullptr : &ends[known->second];
}

end_port const* managed_subnet::find(gid const& name) const
{
    bool const here = name.subnet_prefix() == subnet_prefix || name.subnet_prefix() == default_subnet_prefix;
    return here ? find(name.interface_id()) : nullptr;
}

directed_route managed_subnet::route(end_port const& end) const
{
    // A CA's second port answers for itself only to who comes in by it.
    auto const before = is_switch(end.at.node) ? endpoint{} : peer(end.at);
    if (!before || !is_switch(before.node) || found.entry_ports[end.at.node] == end.at.port)
        return found.routes[end.at.node];
    return found.routes[before.node].extended(before.port);
}

void managed_subnet::index_lids()
{
    top = 0;
    for (auto const& end : ends)
        if (end.base_lid.is_unicast())
            top = std::max<std::uint16_t>(top, static_cast<std::uint16_t>(end.base_lid.value() + end.lid_count() - 1));
    end_by_lid_.assign(top + 1U, 0);
    for (unsigned i = 0; i != ends.size(); ++i)
        for (unsigned k = 0; k != ends[i].lid_count() && ends[i].base_lid.is_unicast(); ++k)
            end_by_lid_[ends[i].base_lid.value() + k] = static_cast<std::uint16_t>(i + 1);
}

std::string managed_subnet::name(node_index index) const
{
    auto const& one = node(index);
    return fmt::format("{} \"{}\"", one.id, one.description);
}

} // namespace madrigal
