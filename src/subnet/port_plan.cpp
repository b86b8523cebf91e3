#include <madrigal/subnet/port_plan.hpp>

#include <algorithm>

namespace madrigal {
namespace {

using topology::endpoint;

/// A Set of this changes nothing.
port_info no_change(port_info now)
{
    now.state = port_state::no_change;
    now.phys_state = physical_state::no_change;
    now.link_down_default = link_down_default_state::no_change;
    now.link_width_enabled = {};
    now.link_speed_enabled = {};
    now.link_speed_ext_enabled = {};
    now.link_speed_ext2_enabled = {};
    now.client_reregister = false;
    return now;
}

bool is_linked(managed_subnet const& of, endpoint at)
{
    auto const state = of.info(at).state;
    return of.peer(at) && state >= port_state::init && state <= port_state::active;
}

/// The smaller of what two ports can, or what there is where that is nothing that can be set.
template <class Value>
Value common(Value a, Value b, Value least, Value most, Value now)
{
    auto const both = std::min(a, b);
    return both >= least && both <= most ? both : now;
}

/// A base switch port 0 has no state worth the name.
bool has_state(managed_subnet const& of, endpoint at)
{
    return at.port != 0 || of.node(at.node).enhanced_port0;
}

} // namespace

std::optional<port_info> port_change(managed_subnet const& of, endpoint at, port_policy const& policy, port_pass pass)
{
    auto const& now = of.info(at);
    if (now == port_info{}) // has not answered
        return std::nullopt;
    auto const* const end = at.port == 0 || !of.is_switch(at.node) ? of.end_of(at) : nullptr;
    if (at.port != 0 && !is_linked(of, at))
        return std::nullopt;
    auto wanted = no_change(now);
    bool changed = false;
    auto const set = [&](auto& field, auto const& value) {
        changed |= field != value;
        field = value;
    };
    if (end != nullptr) {
        set(wanted.base_lid, end->base_lid);
        set(wanted.lmc, end->lmc);
        set(wanted.master_sm_lid, of.own() != nullptr ? of.own()->base_lid : now.master_sm_lid);
        set(wanted.master_sm_sl, std::uint8_t{0});
        set(wanted.gid_prefix, policy.subnet_prefix);
        set(wanted.m_key, policy.m_key);
        set(wanted.subnet_timeout, policy.subnet_timeout);
    }
    if (at.port != 0 && of.is_switch(at.node)) {
        set(wanted.hoq_life, policy.hoq_life);
        set(wanted.vl_stall_count, policy.vl_stall_count);
    }
    // On a link that carries data both ends would have to change at once.
    if (at.port != 0 && now.state < port_state::active) {
        auto const& far = of.info(of.peer(at));
        // A peer that has not answered says nothing of what it can: all of it is 0.
        set(wanted.neighbor_mtu, common(now.mtu_cap, far.mtu_cap, mtu::bytes_256, mtu::bytes_4096, now.neighbor_mtu));
        set(wanted.operational_vls,
            common(now.vl_cap, far.vl_cap, virtual_lanes::vl0, virtual_lanes::vl0_14, now.operational_vls));
    }
    if (pass == port_pass::arm) {
        if (has_state(of, at) && now.state == port_state::init)
            set(wanted.state, port_state::armed);
    } else {
        if (has_state(of, at) && now.state == port_state::armed)
            set(wanted.state, port_state::active);
        if (end != nullptr && policy.reregister && policy.reregister(*end) &&
            now.capability_mask.has(port_capability::client_reregistration))
            set(wanted.client_reregister, true);
    }
    return changed ? std::optional{wanted} : std::nullopt;
}

std::size_t ports_not_active(managed_subnet const& of)
{
    std::size_t count = 0;
    for (topology::node_index i = 0; i != of.found.fabric.size(); ++i)
        for (unsigned p = 1; p <= of.node(i).port_count(); ++p)
            if (endpoint const at{i, static_cast<std::uint8_t>(p)}; is_linked(of, at))
                count += of.info(at).state != port_state::active ? 1 : 0;
    return count;
}

void order_ports(
    smp_work& work, managed_subnet const& of, topology::node_index node, port_policy const& policy, port_pass pass)
{
    auto const guid = of.node(node).node_guid;
    unsigned const ports = of.node(node).port_count();
    if (!of.is_switch(node)) {
        for (unsigned p = 1; p <= ports; ++p)
            if (auto const* const end = of.end_of({node, static_cast<std::uint8_t>(p)}))
                if (auto const wanted = port_change(of, end->at, policy, pass))
                    work.add(of.route(*end), guid, smp_order::set(*wanted, p));
        return;
    }
    auto const order_from = [&of, node, ports, &policy, pass](unsigned& p) -> std::optional<smp_order> {
        while (p <= ports) {
            auto const port = p++;
            if (auto const wanted = port_change(of, {node, static_cast<std::uint8_t>(port)}, policy, pass))
                return smp_order::set(*wanted, port);
        }
        return std::nullopt;
    };
    unsigned first = 0;
    if (auto const order = order_from(first))
        work.add(of.route(node), guid, [order_from, next = order, p = first]() mutable {
            auto const now = next;
            if (next)
                next = order_from(p);
            return now;
        });
}

} // namespace madrigal
