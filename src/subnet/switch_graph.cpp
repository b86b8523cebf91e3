#include "subnet/switch_graph.hpp"

#include <algorithm>
#include <utility>

namespace madrigal::detail {

switch_graph graph_of(managed_subnet const& of, std::function<bool(topology::node_index)> const& takes_part)
{
    switch_graph graph(of.switches.size());
    for (unsigned s = 0; s != graph.size(); ++s) {
        auto const& node = of.node(of.switches[s]);
        for (unsigned p = 1; p <= node.port_count() && takes_part(of.switches[s]); ++p)
            if (auto const peer = node.external_port(p).peer; peer && of.is_switch(peer.node) && takes_part(peer.node))
                graph[s].push_back({static_cast<std::uint8_t>(p), of.switch_number(peer.node)});
    }
    return graph;
}

switch_graph graph_of(managed_subnet const& of)
{
    return graph_of(of, [&](auto index) {
        auto const entries = of.found.attributes[index].switch_info.linear_fdb_cap;
        return entries == 0 || entries > of.top;
    });
}

std::vector<unsigned> distances(switch_graph const& graph, std::vector<unsigned> from)
{
    std::vector<unsigned> hops(graph.size(), unreached);
    for (auto const one : from)
        hops[one] = 0;
    for (std::size_t i = 0; i != from.size(); ++i)
        for (auto const& link : graph[from[i]])
            if (hops[link.peer] == unreached) {
                hops[link.peer] = hops[from[i]] + 1;
                from.push_back(link.peer);
            }
    return hops;
}

unsigned center(switch_graph const& graph)
{
    unsigned best = 0;
    std::pair nearest{unreached, unreached}; // switches out of reach, hops to the farthest of the others
    for (unsigned s = 0; s != graph.size(); ++s) {
        std::pair reach{0U, 0U};
        for (auto const one : distances(graph, {s}))
            if (one == unreached)
                ++reach.first;
            else
                reach.second = std::max(reach.second, one);
        if (reach < nearest) {
            nearest = reach;
            best = s;
        }
    }
    return best;
}

table_writer::table_writer(managed_subnet& to) : to_{to}, ways_(to.switches.size())
{
    for (auto const index : to.switches)
        load_.emplace_back(to.node(index).port_count() + 1U);
    to.tables.assign(to.switches.size(), forwarding_table(to.top + 1U, no_route));
}

void table_writer::write(unsigned destination)
{
    auto const node = to_.switches[destination];
    if (auto const* const own = to_.end_of({node, 0}))
        write(*own, destination, 0);
    for (unsigned p = 1; p <= to_.node(node).port_count(); ++p) {
        auto const port = static_cast<std::uint8_t>(p);
        if (auto const peer = to_.peer({node, port}); peer && !to_.is_switch(peer.node))
            if (auto const* const end = to_.end_of(peer))
                write(*end, destination, port);
    }
}

void table_writer::write(end_port const& end, unsigned destination, std::uint8_t last)
{
    for (unsigned i = 0; i != end.lid_count() && end.base_lid.is_unicast(); ++i) {
        auto const address = end.base_lid.value() + i;
        for (unsigned s = 0; s != to_.switches.size(); ++s) {
            if (s == destination) {
                to_.tables[s][address] = last;
            } else if (!ways_[s].empty()) {
                auto& load = load_[s];
                auto const port = *std::min_element(
                    ways_[s].begin(), ways_[s].end(), [&](auto a, auto b) { return load[a] < load[b]; });
                load[port] = static_cast<std::uint16_t>(load[port] + (last != 0 ? 1 : 0));
                to_.tables[s][address] = port;
            }
        }
    }
}

} // namespace madrigal::detail
