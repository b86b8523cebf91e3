#include "routing.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace sm {
namespace {

constexpr auto far = std::numeric_limits<unsigned>::max();

/// How far each switch is from the nearest of these.
std::vector<unsigned> distances(switch_graph const& graph, std::vector<unsigned> from)
{
    std::vector<unsigned> hops(graph.size(), far);
    for (auto const one : from)
        hops[one] = 0;
    for (std::size_t i = 0; i != from.size(); ++i)
        for (auto const& link : graph[from[i]])
            if (hops[link.peer] == far) {
                hops[link.peer] = hops[from[i]] + 1;
                from.push_back(link.peer);
            }
    return hops;
}

/// The switches that are the farthest from all CAs: the top of a tree. None where every switch has CAs.
std::vector<unsigned> top_of_tree(subnet const& of, switch_graph const& graph)
{
    std::vector<unsigned> leaves;
    for (unsigned s = 0; s != graph.size(); ++s) {
        auto const& node = of.node(of.switches[s]);
        for (std::uint8_t p = 1; p <= node.port_count(); ++p)
            if (auto const peer = node.external_port(p).peer; peer && !of.is_switch(peer.node)) {
                leaves.push_back(s);
                break;
            }
    }
    auto const height = distances(graph, leaves);
    unsigned highest = 0;
    for (auto const one : height)
        highest = one == far ? highest : std::max(highest, one);
    std::vector<unsigned> top;
    for (unsigned s = 0; s != graph.size() && highest != 0; ++s)
        if (height[s] == highest)
            top.push_back(s);
    return top;
}

/// The switch from which the farthest one is the nearest.
unsigned center(switch_graph const& graph)
{
    unsigned best = 0;
    unsigned nearest = far;
    for (unsigned s = 0; s != graph.size(); ++s) {
        unsigned reach = 0;
        for (auto const one : distances(graph, {s}))
            reach = one == far ? reach : std::max(reach, one);
        if (reach < nearest) {
            nearest = reach;
            best = s;
        }
    }
    return best;
}

/// Every cable leads up to the end that stands first: the one nearer to a root, of two equally near the one with the
/// smaller GUID. As all switches stand in one row, "up" never leads in circles.
void route_from(subnet& to, switch_graph const& graph, std::vector<unsigned> const& roots)
{
    auto const rank = distances(graph, roots);
    std::vector<unsigned> row(graph.size());
    std::iota(row.begin(), row.end(), 0U);
    std::sort(row.begin(), row.end(), [&](unsigned a, unsigned b) {
        return std::pair{rank[a], to.node(to.switches[a]).node_guid} <
               std::pair{rank[b], to.node(to.switches[b]).node_guid};
    });
    std::vector<unsigned> place(graph.size());
    for (unsigned i = 0; i != row.size(); ++i)
        place[row[i]] = i;

    port_balance balance{to};
    to.tables.assign(graph.size(), forwarding_table(to.top + 1U, madrigal::no_route));
    std::vector<std::vector<std::uint8_t>> ways(graph.size());
    for (unsigned destination = 0; destination != graph.size(); ++destination) {
        // Hops by going down only: who has such a way must use it, as who comes from above may not go up again.
        std::vector<unsigned> down(graph.size(), far);
        std::vector<unsigned> queue{destination};
        down[destination] = 0;
        for (std::size_t i = 0; i != queue.size(); ++i)
            for (auto const& link : graph[queue[i]])
                if (place[link.peer] < place[queue[i]] && down[link.peer] == far) {
                    down[link.peer] = down[queue[i]] + 1;
                    queue.push_back(link.peer);
                }
        std::vector<unsigned> cost = down;
        for (auto const s : row) // who is above has its cost already
            if (cost[s] == far)
                for (auto const& link : graph[s])
                    if (place[link.peer] < place[s] && cost[link.peer] != far)
                        cost[s] = std::min(cost[s], cost[link.peer] + 1);
        for (unsigned s = 0; s != graph.size(); ++s) {
            ways[s].clear();
            bool const goes_down = down[s] != far;
            for (auto const& link : graph[s])
                if (cost[s] != far && cost[link.peer] != far && cost[link.peer] + 1 == cost[s] &&
                    (place[link.peer] > place[s]) == goes_down && (!goes_down || down[link.peer] != far))
                    ways[s].push_back(link.port);
        }
        route_to_ends_of(to, destination, ways, balance);
    }
}

} // namespace

void route_up_down(subnet& to, std::vector<madrigal::guid> const& roots)
{
    auto const graph = graph_of(to);
    if (graph.empty())
        return;
    std::vector<unsigned> from;
    for (auto const guid : roots)
        if (auto const index = to.found.fabric.find(guid); index != madrigal::topology::no_node && to.is_switch(index))
            from.push_back(to.switch_number(index));
        else
            spdlog::warn("no switch has the GUID {} of a root", to_string(guid));
    if (from.empty())
        from = top_of_tree(to, graph);
    if (!from.empty())
        route_from(to, graph, from);
    if (from.empty() || unreachable_ends(to) != 0) {
        auto const root = center(graph);
        if (!from.empty())
            spdlog::warn("those roots leave ports apart; {} is the root", to.name(to.switches[root]));
        route_from(to, graph, {root});
    }
}

} // namespace sm
