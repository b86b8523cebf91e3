// What the two ends of each cable say, put together.
#include <fabric/sweep.hpp>

#include <algorithm>
#include <unordered_set>

namespace madrigal::detail {
namespace {

/// No more nodes with one GUID are told apart: enough for a batch of badly flashed adapters, and an end for a fabric
/// that contradicts itself for ever.
constexpr std::size_t most_of_one_guid = 1'024;

/// Whether two answers of NodeInfo may come from one node. The port GUID of a CA belongs to the port.
bool may_be_one_node(node_info const& a, node_info const& b) noexcept
{
    bool const same_port = a.type == node_type::switch_ || a.local_port_num == b.local_port_num;
    return a.type == b.type && a.num_ports == b.num_ports && a.system_image_guid == b.system_image_guid &&
           a.node_guid == b.node_guid && a.vendor_id == b.vendor_id && a.device_id == b.device_id &&
           (!same_port || a.port_guid == b.port_guid);
}

} // namespace

found_index sweep::match(found_end claim, bool agreed) const
{
    auto const& from = nodes_[claim.node];
    auto const& info = from.ports[claim.port].behind.value;
    for (auto const candidate : of_guid(info.node_guid)) {
        auto const& node = nodes_[candidate];
        if (!may_be_one_node(node.info, info))
            continue;
        auto const& port = node.ports[info.local_port_num];
        // A port of a CA has one cable: that by which its own answers came, while it still leads there.
        if (!node.is_switch() && port.reached_from && port.reached_from != claim) {
            auto const& first = nodes_[port.reached_from.node].ports[port.reached_from.port].behind;
            if (first.state == ask_state::answered && first.value.node_guid == info.node_guid &&
                first.value.local_port_num == info.local_port_num)
                continue;
        }
        if (port.leads_to && port.leads_to != claim)
            continue;
        bool const seen = port.behind.state == ask_state::answered;
        // A switch that says that there is no link at this port is another one.
        if (says_no_link(node, info.local_port_num))
            continue;
        bool const agrees = seen && port.behind.value.node_guid == from.info.node_guid &&
                            port.behind.value.local_port_num == claim.port;
        if (agreed ? agrees : !seen)
            return candidate;
    }
    return not_found;
}

bool sweep::connect()
{
    std::vector<found_end> claims;
    for (found_index i = 0; i != nodes_.size(); ++i)
        for (unsigned p = 1; p < nodes_[i].ports.size(); ++p) {
            auto& port = nodes_[i].ports[p];
            port.leads_to = {};
            if (port.behind.state == ask_state::answered)
                claims.push_back({i, static_cast<std::uint8_t>(p)});
        }
    // What both ends say first, then what one end alone can say.
    std::vector<found_end> open;
    for (bool const agreed : {true, false}) {
        open.clear();
        for (auto const claim : claims) {
            auto& port = nodes_[claim.node].ports[claim.port];
            if (port.leads_to)
                continue;
            auto const to = match(claim, agreed);
            if (to == not_found) {
                open.push_back(claim);
                continue;
            }
            port.leads_to = {to, port.behind.value.local_port_num};
            nodes_[to].ports[port.leads_to.port].leads_to = claim;
        }
        claims = open;
    }
    // What is left contradicts something: ask again, and believe it if it is repeated.
    bool more = false;
    std::unordered_set<std::uint64_t> added;
    for (auto const claim : claims) {
        if (look_again(claim) || look_at_denial(claim)) {
            more = true;
            continue;
        }
        auto const& behind = nodes_[claim.node].ports[claim.port].behind;
        auto const& info = behind.value;
        auto const& known = of_guid(info.node_guid);
        if (known.size() >= most_of_one_guid || nodes_.size() >= options_.max_nodes ||
            !nodes_[claim.node].route.can_extend())
            continue; // reported as left out
        // One new switch at a time: the other claims may be about this very one.
        if (info.type == node_type::switch_ && !added.insert(info.node_guid.value()).second) {
            more = true;
            continue;
        }
        (void)add(info, nodes_[claim.node].route.extended(claim.port), claim);
        more = true;
    }
    return more;
}

void sweep::look_again_behind(found_end end)
{
    auto& port = nodes_[end.node].ports[end.port];
    if (port.looked_again)
        return;
    port.looked_again = true;
    if (port.behind.state == ask_state::answered)
        push({end.node, sweep_ask::behind, end.port, 0});
    else if (says_no_link(nodes_[end.node], end.port))
        push({end.node, sweep_ask::port_info, end.port, 0}); // a cable may have been plugged in since
}

bool sweep::look_again(found_end claim)
{
    auto& port = nodes_[claim.node].ports[claim.port];
    if (port.looked_again)
        return false;
    look_again_behind(claim);
    // Whoever says something else about the same port is asked too.
    auto const& info = port.behind.value;
    for (auto const candidate : of_guid(info.node_guid)) {
        auto const& ports = nodes_[candidate].ports;
        if (info.local_port_num >= ports.size())
            continue;
        look_again_behind({candidate, info.local_port_num});
        if (auto const other = ports[info.local_port_num].leads_to)
            look_again_behind(other);
    }
    return true;
}

bool sweep::says_no_link(found_node const& node, std::uint8_t number)
{
    auto const& port = node.ports[number];
    return node.is_switch() && port.behind.state != ask_state::answered && port.info.state == ask_state::answered &&
           !port.has_link();
}

/// A switch that says that it has no link where one leads to it is another one only if it insists while the link is
/// there: a switch that restarts, or a cable that was just plugged in, has answered too soon. So the port is asked when
/// the link was seen, and then the link is looked at once more, each when nothing else is to be asked.
bool sweep::look_at_denial(found_end claim)
{
    auto& port = nodes_[claim.node].ports[claim.port];
    if (port.denials == 2)
        return false;
    auto const& info = port.behind.value;
    bool denied = false;
    for (auto const candidate : of_guid(info.node_guid)) {
        auto const& node = nodes_[candidate];
        if (!may_be_one_node(node.info, info) || !says_no_link(node, info.local_port_num))
            continue;
        denied = true;
        if (port.denials == 0)
            push({candidate, sweep_ask::port_info, info.local_port_num, 0});
    }
    if (!denied)
        return false;
    if (port.denials++ == 1)
        push({claim.node, sweep_ask::behind, claim.port, 0});
    return true;
}

std::vector<found_index> sweep::walk(std::vector<directed_route>& routes, std::vector<std::uint8_t>& entry_ports) const
{
    std::vector<found_index> order;
    std::vector<bool> seen(nodes_.size());
    order.reserve(nodes_.size());
    routes.reserve(nodes_.size());
    auto const reach = [&](found_index node, directed_route const& route, std::uint8_t entry) {
        seen[node] = true;
        order.push_back(node);
        routes.push_back(route);
        entry_ports.push_back(entry);
    };
    reach(0, directed_route{}, nodes_[0].entry_port);
    for (std::size_t next = 0; next != order.size(); ++next) {
        auto const at = order[next];
        auto const route = routes[next];
        auto const& node = nodes_[at];
        if (!route.can_extend() || (at != 0 && !node.is_switch()))
            continue;
        for (unsigned p = 1; p < node.ports.size(); ++p) {
            // Not through a CA: of the local one only the sweep's own port leads anywhere.
            if (!node.is_switch() && p != node.entry_port)
                continue;
            auto const to = node.ports[p].leads_to;
            if (to && !seen[to.node])
                reach(to.node, route.extended(static_cast<std::uint8_t>(p)), to.port);
        }
    }
    return order;
}

bool sweep::shorten()
{
    std::vector<directed_route> routes;
    std::vector<std::uint8_t> entry_ports;
    auto const order = walk(routes, entry_ports);
    bool more = false;
    for (std::size_t i = 0; i != order.size(); ++i) {
        auto& node = nodes_[order[i]];
        if (routes[i].hops() >= node.hops)
            continue;
        node.hops = static_cast<unsigned>(routes[i].hops());
        node.route = routes[i];
        if (!node.is_switch())
            continue;
        for (unsigned p = 1; p < node.ports.size(); ++p) {
            auto const port = static_cast<std::uint8_t>(p);
            if (node.ports[p].behind.state == ask_state::not_asked && may_look_behind(node, port)) {
                look_behind(order[i], port);
                more = true;
            }
        }
    }
    return more;
}

bool sweep::settle()
{
    bool more = connect();
    if (!more)
        more = shorten();
    if (!more)
        more = verify();
    return more;
}

} // namespace madrigal::detail
