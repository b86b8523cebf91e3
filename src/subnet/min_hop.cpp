#include "subnet/switch_graph.hpp"

#include <madrigal/subnet/routing.hpp>

namespace madrigal {

void route_min_hop(managed_subnet& to)
{
    auto const graph = detail::graph_of(to);
    detail::table_writer writer{to};
    auto& ways = writer.ways();
    for (unsigned destination = 0; destination != graph.size(); ++destination) {
        auto const hops = detail::distances(graph, {destination});
        for (unsigned s = 0; s != graph.size(); ++s) {
            ways[s].clear();
            for (auto const& link : graph[s])
                if (hops[s] != detail::unreached && hops[link.peer] + 1 == hops[s])
                    ways[s].push_back(link.port);
        }
        writer.write(destination);
    }
}

std::size_t missing_routes(managed_subnet const& in) noexcept
{
    std::size_t missing = 0;
    for (auto const& end : in.ends)
        for (unsigned i = 0; i != end.lid_count() && end.base_lid.is_unicast() && !in.is_switch(end.at.node); ++i)
            for (auto const& table : in.tables)
                missing += table[end.base_lid.value() + i] == no_route ? 1 : 0;
    return missing;
}

} // namespace madrigal
