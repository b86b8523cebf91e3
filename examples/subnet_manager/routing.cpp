#include "routing.hpp"

#include <algorithm>

namespace sm {

switch_graph graph_of(subnet const& of)
{
    switch_graph graph(of.switches.size());
    for (unsigned s = 0; s != graph.size(); ++s) {
        auto const& node = of.node(of.switches[s]);
        for (std::uint8_t p = 1; p <= node.port_count(); ++p)
            if (auto const peer = node.external_port(p).peer; peer && of.is_switch(peer.node))
                graph[s].push_back({p, of.switch_number(peer.node)});
    }
    return graph;
}

port_balance::port_balance(subnet const& of)
{
    for (auto const index : of.switches)
        load_.emplace_back(of.node(index).port_count() + 1U);
}

std::uint8_t port_balance::choose(unsigned of_switch, std::vector<std::uint8_t> const& ports, bool counts)
{
    if (ports.empty())
        return madrigal::no_route;
    auto& load = load_[of_switch];
    auto const chosen =
        *std::min_element(ports.begin(), ports.end(), [&](auto a, auto b) { return load[a] < load[b]; });
    load[chosen] = static_cast<std::uint16_t>(load[chosen] + (counts ? 1 : 0));
    return chosen;
}

void route_to_ends_of(
    subnet& to, unsigned destination, std::vector<std::vector<std::uint8_t>> const& ways, port_balance& balance)
{
    auto const node = to.switches[destination];
    auto const route = [&](end_port const& end, std::uint8_t last) {
        for (unsigned i = 0; i != end.lid_count(); ++i) {
            auto const lid = end.lid.value() + i;
            for (unsigned s = 0; s != to.switches.size(); ++s)
                to.tables[s][lid] = s == destination ? last : balance.choose(s, ways[s], last != 0);
        }
    };
    route(*to.end_of({node, 0}), 0);
    for (std::uint8_t p = 1; p <= to.node(node).port_count(); ++p)
        if (auto const peer = to.peer({node, p}); peer && !to.is_switch(peer.node))
            if (auto const* const end = to.end_of(peer))
                route(*end, p);
}

std::size_t unreachable_ends(subnet const& in)
{
    std::size_t missing = 0;
    for (auto const& end : in.ends)
        if (!in.is_switch(end.at.node))
            for (auto const& table : in.tables)
                missing += table[end.lid.value()] == madrigal::no_route ? 1 : 0;
    return missing;
}

} // namespace sm
