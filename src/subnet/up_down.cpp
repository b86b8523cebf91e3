#include "subnet/log.hpp"
#include "subnet/switch_graph.hpp"

#include <madrigal/subnet/routing.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace madrigal {
namespace {

using detail::switch_graph;
using detail::unreached;

/// The switches that are the farthest from all CAs: the top of a tree. None where every switch has CAs.
std::vector<unsigned> top_of_tree(managed_subnet const& of, switch_graph const& graph)
{
    std::vector<unsigned> leaves;
    for (auto const& end : of.ends)
        if (!of.is_switch(end.at.node))
            if (auto const at = of.peer(end.at); at && of.is_switch(at.node))
                leaves.push_back(of.switch_number(at.node));
    auto const height = detail::distances(graph, leaves);
    unsigned highest = 0;
    for (auto const one : height)
        highest = one == unreached ? highest : std::max(highest, one);
    std::vector<unsigned> top;
    for (unsigned s = 0; s != graph.size() && highest != 0; ++s)
        if (height[s] == highest)
            top.push_back(s);
    return top;
}

/// Where the switches stand in one row, the roots first: nearer to a root before farther away, of two equally near the
/// one with the smaller GUID. A cable leads up to the end that stands before the other, so "up" never leads in a
/// circle.
struct order_of_switches {
    std::vector<unsigned> row;
    std::vector<unsigned> place; ///< in the row, by switch

    order_of_switches(managed_subnet const& of, switch_graph const& graph, std::vector<unsigned> const& roots)
        : row(graph.size()), place(graph.size())
    {
        auto rank = detail::distances(graph, roots);
        // A part without a root gets one.
        for (unsigned s = 0; s != graph.size(); ++s)
            if (rank[s] == unreached) {
                auto const part = detail::distances(graph, {s});
                for (unsigned i = 0; i != graph.size(); ++i)
                    rank[i] = std::min(rank[i], part[i]);
            }
        std::iota(row.begin(), row.end(), 0U);
        std::sort(row.begin(), row.end(), [&](unsigned a, unsigned b) {
            return std::pair{rank[a], of.node(of.switches[a]).node_guid} <
                   std::pair{rank[b], of.node(of.switches[b]).node_guid};
        });
        for (unsigned i = 0; i != row.size(); ++i)
            place[row[i]] = i;
    }
    [[nodiscard]] bool leads_up(unsigned from, unsigned to) const noexcept { return place[to] < place[from]; }
};

/// Hops to a switch by going down only.
std::vector<unsigned> hops_down(switch_graph const& graph, order_of_switches const& order, unsigned destination)
{
    std::vector<unsigned> hops(graph.size(), unreached);
    std::vector<unsigned> queue{destination};
    hops[destination] = 0;
    for (std::size_t i = 0; i != queue.size(); ++i)
        for (auto const& link : graph[queue[i]])
            if (order.leads_up(queue[i], link.peer) && hops[link.peer] == unreached) {
                hops[link.peer] = hops[queue[i]] + 1;
                queue.push_back(link.peer);
            }
    return hops;
}

void route_from(managed_subnet& to, switch_graph const& graph, std::vector<unsigned> const& roots)
{
    order_of_switches const order{to, graph, roots};
    detail::table_writer writer{to};
    auto& ways = writer.ways();
    for (unsigned destination = 0; destination != graph.size(); ++destination) {
        // Who has a way down must take it, be it longer: a packet that comes from above may not go up again.
        auto const down = hops_down(graph, order, destination);
        auto cost = down;
        for (auto const s : order.row) // who stands before has its cost already
            if (down[s] == unreached)
                for (auto const& link : graph[s])
                    if (order.leads_up(s, link.peer) && cost[link.peer] != unreached)
                        cost[s] = std::min(cost[s], cost[link.peer] + 1);
        for (unsigned s = 0; s != graph.size(); ++s) {
            ways[s].clear();
            bool const goes_down = down[s] != unreached;
            auto const& left = goes_down ? down : cost;
            for (auto const& link : graph[s])
                if (left[s] != unreached && left[link.peer] != unreached && left[link.peer] + 1 == left[s] &&
                    order.leads_up(s, link.peer) != goes_down)
                    ways[s].push_back(link.port);
        }
        writer.write(destination);
    }
}

} // namespace

std::vector<guid> route_up_down(managed_subnet& to, std::span<guid const> roots)
{
    auto const graph = detail::graph_of(to);
    std::vector<unsigned> from;
    for (auto const root : roots)
        if (auto const index = to.found.fabric.find(root); index != topology::no_node && to.is_switch(index))
            from.push_back(to.switch_number(index));
        else
            detail::subnet_log().warn("up and down: no switch has the GUID {} of a root", to_string(root));
    if (from.empty())
        from = top_of_tree(to, graph);
    if (from.empty() && !graph.empty())
        from.push_back(detail::center(graph));
    route_from(to, graph, from);
    if (auto const missing = missing_routes(to); missing != 0) {
        auto tables = to.tables;
        std::vector<unsigned> const central{detail::center(graph)};
        route_from(to, graph, central);
        if (missing_routes(to) < missing) {
            detail::subnet_log().warn("up and down: the roots leave CAs out of reach; the central switch is the root");
            from = central;
        } else { // there are parts that nothing joins
            to.tables = std::move(tables);
        }
    }
    std::vector<guid> used;
    used.reserve(from.size());
    for (auto const one : from)
        used.push_back(to.node(to.switches[one]).node_guid);
    return used;
}

} // namespace madrigal
