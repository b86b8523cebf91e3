#include "routing.hpp"

#include <limits>

namespace sm {

void route_min_hop(subnet& to)
{
    auto const graph = graph_of(to);
    port_balance balance{to};
    to.tables.assign(graph.size(), forwarding_table(to.top + 1U, madrigal::no_route));
    constexpr auto far = std::numeric_limits<unsigned>::max();
    std::vector<std::vector<std::uint8_t>> ways(graph.size());
    for (unsigned destination = 0; destination != graph.size(); ++destination) {
        std::vector<unsigned> hops(graph.size(), far);
        std::vector<unsigned> queue{destination};
        hops[destination] = 0;
        for (std::size_t i = 0; i != queue.size(); ++i)
            for (auto const& link : graph[queue[i]])
                if (hops[link.peer] == far) {
                    hops[link.peer] = hops[queue[i]] + 1;
                    queue.push_back(link.peer);
                }
        for (unsigned s = 0; s != graph.size(); ++s) {
            ways[s].clear();
            for (auto const& link : graph[s])
                if (hops[s] != far && hops[link.peer] + 1 == hops[s])
                    ways[s].push_back(link.port);
        }
        route_to_ends_of(to, destination, ways, balance);
    }
}

} // namespace sm
