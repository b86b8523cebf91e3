#include "ports.hpp"

#include <algorithm>

namespace sm {
namespace {

using madrigal::port_info;
using madrigal::port_state;

/// A Set of this changes nothing.
port_info no_change(port_info now)
{
    now.state = port_state::no_change;
    now.phys_state = madrigal::physical_state::no_change;
    now.link_down_default = madrigal::link_down_default_state::no_change;
    now.link_width_enabled = {};
    now.link_speed_enabled = {};
    now.link_speed_ext_enabled = {};
    now.link_speed_ext2_enabled = {};
    now.client_reregister = false;
    return now;
}

/// A base switch port 0 has no state worth the name.
bool has_state(subnet const& of, endpoint at)
{
    return at.port != 0 || of.node(at.node).enhanced_port0;
}

} // namespace

std::optional<port_info> port_plan::change(endpoint at, port_pass pass) const
{
    auto const& now = of.info(at);
    if (now.state == port_state::no_change) // has not answered
        return std::nullopt;
    auto const* const end = at.port == 0 || !of.is_switch(at.node) ? of.end_of(at) : nullptr;
    auto const peer = at.port != 0 ? of.peer(at) : endpoint{};
    bool const linked = at.port == 0 || (peer && now.state >= port_state::init && now.state <= port_state::active);
    if (!linked)
        return std::nullopt;
    auto wanted = no_change(now);
    bool changed = false;
    auto const set = [&](auto& field, auto const& value) {
        changed |= field != value;
        field = value;
    };
    if (end != nullptr) {
        set(wanted.base_lid, end->lid);
        set(wanted.lmc, end->lmc);
        set(wanted.master_sm_lid, of.ends.front().lid);
        set(wanted.master_sm_sl, std::uint8_t{0});
        set(wanted.gid_prefix, with.subnet_prefix);
        set(wanted.m_key, with.m_key);
    }
    if (at.port != 0) {
        auto const& far = of.info(peer);
        // A peer that has not answered says nothing of what it can.
        set(wanted.neighbor_mtu,
            far.state == port_state::no_change ? now.neighbor_mtu : std::min(now.mtu_cap, far.mtu_cap));
        set(wanted.operational_vls,
            far.state == port_state::no_change ? now.operational_vls : std::min(now.vl_cap, far.vl_cap));
    }
    if (pass == port_pass::arm) {
        if (has_state(of, at) && now.state == port_state::init)
            set(wanted.state, port_state::armed);
    } else {
        if (has_state(of, at) && now.state == port_state::armed)
            set(wanted.state, port_state::active);
        if (end != nullptr && reregister && at != of.ends.front().at &&
            now.capability_mask.has(madrigal::port_capability::client_reregistration))
            set(wanted.client_reregister, true);
    }
    return changed ? std::optional{wanted} : std::nullopt;
}

bool order_ports(madrigal::subnet::smp_work& work, port_plan const& plan, node_index node, port_pass pass)
{
    auto const& of = plan.of;
    auto const ports = of.node(node).port_count();
    if (of.is_switch(node)) {
        // The first that has to change; the list asks for the others as there is room.
        auto const next = [plan, node, pass, ports](unsigned from) {
            while (from <= ports && !plan.change({node, static_cast<std::uint8_t>(from)}, pass))
                ++from;
            return from;
        };
        auto const first = next(0);
        if (first > ports)
            return false;
        work.add(of.route(node), of.node(node).node_guid,
            [plan, node, pass, ports, next, at = first]() mutable -> std::optional<madrigal::subnet::smp_order> {
                at = next(at);
                if (at > ports)
                    return std::nullopt;
                auto const port = at++;
                return madrigal::subnet::smp_order::set(
                    *plan.change({node, static_cast<std::uint8_t>(port)}, pass), port);
            });
        return true;
    }
    bool any = false;
    for (std::uint8_t p = 1; p <= ports; ++p)
        if (auto const* const end = of.end_of({node, p}))
            if (auto const wanted = plan.change(end->at, pass)) {
                work.add(of.route(*end), of.node(node).node_guid, madrigal::subnet::smp_order::set(*wanted, p));
                any = true;
            }
    return any;
}

} // namespace sm
