#include <fabric/sweep.hpp>

#include <algorithm>
#include <array>

namespace madrigal::detail {
namespace {

/// Makers whose devices may have MlnxExtPortInfo: Mellanox, and topologies that tell no maker or are generated.
constexpr std::array<std::uint32_t, 3> fdr10_vendors{0x0002C9, 0x024D41, 0};

/// FDR10 looks like QDR in PortInfo, and no extended speed is active.
bool may_be_fdr10(node_info const& node, port_info const& port)
{
    return port.link_speed_active == legacy_speed::qdr && static_cast<unsigned>(port.link_speed_ext_active) == 0 &&
           static_cast<unsigned>(port.link_speed_ext2_active) == 0 &&
           std::find(fdr10_vendors.begin(), fdr10_vendors.end(), node.vendor_id) != fdr10_vendors.end();
}

} // namespace

found_index sweep::add(node_info const& info, directed_route const& route, found_end from)
{
    auto const index = static_cast<found_index>(nodes_.size());
    auto& node = nodes_.emplace_back();
    node.info = info;
    node.route = route;
    node.entry_port = info.local_port_num;
    node.hops = from ? nodes_[from.node].hops + 1 : 0;
    node.ports.resize(info.num_ports + 1U);
    by_guid_[info.node_guid.value()].push_back(index);
    node.description.state = ask_state::asked;
    push({index, sweep_ask::description, 0, 0});
    if (node.is_switch()) {
        node.switch_info.state = ask_state::asked;
        push({index, sweep_ask::switch_info, 0, 0});
        if (!options_.clear_port_state_change) // else once that is known
            ask_ports(index);
    } else {
        node.ports[node.entry_port].reached_from = from;
        ask_port(index, node.entry_port);
    }
    report_progress();
    return index;
}

std::vector<found_index> const& sweep::of_guid(guid value) const
{
    static std::vector<found_index> const none;
    auto const known = by_guid_.find(value.value());
    return known == by_guid_.end() ? none : known->second;
}

void sweep::ask_port(found_index node, std::uint8_t port)
{
    nodes_[node].ports[port].info.state = ask_state::asked;
    push({node, sweep_ask::port_info, port, 0});
}

void sweep::ask_ports(found_index node)
{
    auto& waiting = nodes_[node].waiting;
    waiting.reserve(waiting.size() + nodes_[node].ports.size());
    for (unsigned port = 0; port != nodes_[node].ports.size(); ++port)
        ask_port(node, static_cast<std::uint8_t>(port));
}

void sweep::on_switch_info(found_index index, madrigal::switch_info const& info)
{
    auto& node = nodes_[index];
    node.switch_info.value = info;
    node.switch_info.state = ask_state::answered;
    if (!options_.clear_port_state_change)
        return;
    if (info.port_state_change)
        push({index, sweep_ask::clear_change, 0, 0});
    else
        ask_ports(index);
}

void sweep::on_behind(sweep_question const& asked, node_info const& info)
{
    auto& behind = nodes_[asked.node].ports[asked.port];
    if (behind.behind.state != ask_state::answered)
        ends_seen_ += info.type == node_type::switch_ ? 1 : 2;
    behind.behind.value = info;
    behind.behind.state = ask_state::answered;
    found_end const from{asked.node, asked.port};
    auto const& known = of_guid(info.node_guid);
    if (known.empty()) {
        if (nodes_.size() < options_.max_nodes)
            (void)add(info, nodes_[asked.node].route.extended(asked.port), from);
        return;
    }
    // Another way to a node that is known: for a CA or router by another port, which is asked now. Whether it really is
    // the same node is decided when all is known.
    auto const first = known.front();
    auto& node = nodes_[first];
    if (node.is_switch() || info.type != node.info.type || info.num_ports != node.info.num_ports)
        return;
    auto& port = node.ports[info.local_port_num];
    if (port.info.state == ask_state::not_asked) {
        port.reached_from = from;
        ask_port(first, info.local_port_num);
    }
}

bool sweep::may_look_behind(found_node const& node, std::uint8_t port) const noexcept
{
    bool const forwards = node.is_switch() || (node.hops == 0 && port == node.entry_port && node.route.hops() == 0);
    return port != 0 && forwards && node.ports[port].has_link() && node.route.can_extend() &&
           (!options_.max_hops || node.hops < *options_.max_hops);
}

void sweep::look_behind(found_index node, std::uint8_t port)
{
    nodes_[node].ports[port].behind.state = ask_state::asked;
    push({node, sweep_ask::behind, port, 0});
}

void sweep::on_port_info(sweep_question const& asked, port_info const& info)
{
    auto& node = nodes_[asked.node];
    auto& port = node.ports[asked.port];
    port.info.value = info;
    port.info.state = ask_state::answered;
    if (asked.port == 0 || !port.has_link())
        return;
    if (port.behind.state == ask_state::not_asked && may_look_behind(node, asked.port))
        look_behind(asked.node, asked.port);
    if (options_.ask_makers && port.vendor.get().state == ask_state::not_asked && !node.no_vendor &&
        may_be_fdr10(node.info, info)) {
        port.vendor.make().state = ask_state::asked;
        push({asked.node, sweep_ask::vendor_link, asked.port, 0});
    }
}

void sweep::on_failure(sweep_question const& asked, error_code code)
{
    auto& node = nodes_[asked.node];
    auto const fail = [code](auto& attribute) { attribute.fail(code); };
    switch (asked.ask) {
    case sweep_ask::behind: fail(node.ports[asked.port].behind); break;
    case sweep_ask::description: fail(node.description); break;
    case sweep_ask::switch_info:
        fail(node.switch_info);
        if (options_.clear_port_state_change)
            ask_ports(asked.node);
        break;
    case sweep_ask::clear_change: // it will say so the next time too
        ask_ports(asked.node);
        break;
    case sweep_ask::port_info: fail(node.ports[asked.port].info); break;
    case sweep_ask::around: fail(node.ports[asked.port].around.make()); break;
    case sweep_ask::other_port: fail(node.ports[asked.port].other_port.make()); break;
    case sweep_ask::vendor_link:
        // Most devices do not know it, and say so.
        if (mad_status_of(code) != 0) {
            node.no_vendor = true;
            node.ports[asked.port].vendor.make().state = ask_state::answered;
        } else {
            fail(node.ports[asked.port].vendor.make());
        }
        break;
    }
}

} // namespace madrigal::detail
