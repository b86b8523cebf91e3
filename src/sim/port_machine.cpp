// Links come up and go down; ports change their states (IBA 7.2.7, 7.12).
#include <sim/core.hpp>
#include <sim/sa_server.hpp>
#include <sim/training.hpp>

namespace madrigal::sim {
namespace {

physical_state state_without_link(port const& one) noexcept
{
    return one.down_default == link_down_default_state::sleep ? physical_state::sleep : physical_state::polling;
}

} // namespace

void core::reset_port(topology::endpoint end)
{
    auto& one = at(end);
    one.state = port_state::down;
    one.phys_state = physical_state::polling;
    one.down_default = link_down_default_state::polling;
    one.trained = {};
    one.width_enabled.reset();
    one.speed_enabled.reset();
    one.speed_ext_enabled.reset();
    one.speed_ext2_enabled.reset();
    // All that both ends can, as adapters and switches come up: a subnet manager has nothing to change where every port
    // can the same, and no link to train anew because of it.
    one.neighbor_mtu = mtu::bytes_4096;
    one.operational_vls = virtual_lanes::vl0_7;
    one.vl_high_limit = 0;
    one.vl_stall_count = 0;
    one.hoq_life = 0;
    one.enforcement = 0;
    one.overrun_errors = 8;
    one.phy_errors = 8;
    one.p_keys.clear();
    one.lanes.reset();
    one.counts = {};
    if (end.port == 0) {
        // An enhanced port 0 is managed as a CA's port; of a base one only the SMA is there (IBA 18.2.4.1).
        auto const& owner = nodes[end.node];
        bool const exists = owner.is_switch();
        one.phys_state = physical_state::link_up;
        one.state = !exists || owner.switching->enhanced_port0 ? port_state::init : options.base_port0_state;
        one.width = link_width::x4;
        one.speed = owner.fastest;
    }
    if (one.end) {
        auto& part = *one.end;
        part.subnet_prefix = default_subnet_prefix;
        part.base_lid = 0;
        part.sm_lid = 0;
        part.lmc = 0;
        part.sm_sl = 0;
        part.subnet_timeout = 18;
        part.client_reregister = false;
        part.guard = {};
        part.more_guids.clear();
    }
}

void core::settle_link(topology::endpoint end)
{
    auto& mine = at(end);
    if (!mine.cable)
        return;
    auto& theirs = at(mine.cable);
    auto const ready = [&](port const& one, node const& owner) {
        return one.plugged && owner.running() && one.phys_state != physical_state::disabled &&
               one.phys_state != physical_state::sleep;
    };
    bool up = ready(mine, nodes[end.node]) && ready(theirs, nodes[mine.cable.node]);
    if (up && !(link_is_up(mine) && link_is_up(theirs))) {
        if (auto const trained = train(*this, end, mine.cable))
            mine.trained = theirs.trained = *trained;
        else
            up = false;
    }
    topology::endpoint const ends[] = {end, mine.cable};
    for (auto const one : ends) {
        auto& side = at(one);
        if (up == link_is_up(side))
            continue;
        if (up)
            side.phys_state = physical_state::link_up;
        else
            side.phys_state = state_without_link(side);
        if (!up)
            ++side.counts.total.link_downed;
        side.state = up ? port_state::init : port_state::down;
        link_changed(one);
    }
}

void core::take_down(topology::endpoint end, physical_state to)
{
    auto const lose = [&](topology::endpoint of, physical_state next) {
        auto& one = at(of);
        bool const was_up = link_is_up(one);
        if (was_up)
            ++one.counts.total.link_downed;
        one.phys_state = next;
        one.state = port_state::down;
        if (was_up)
            link_changed(of);
    };
    auto const cable = at(end).cable;
    if (cable && link_is_up(at(cable)))
        lose(cable, state_without_link(at(cable)));
    lose(end, to);
    settle_link(end); // where both ends poll, the link trains again: at once in this world
}

void core::restart(topology::node_index index)
{
    remove_kernels(index);
    if (sa && sa->where().node == index)
        sa->forget();
    auto& one = nodes[index];
    if (one.is_switch()) {
        bool const enhanced = one.switching->enhanced_port0;
        *one.switching = {};
        one.switching->enhanced_port0 = enhanced;
    }
    if (one.trap) {
        events.remove(*one.trap);
        one.trap->active = false;
    }
    if (one.samples) {
        events.remove(*one.samples);
        one.samples.reset();
    }
    for (unsigned number = 0; number != one.ports.size(); ++number) {
        topology::endpoint const end{index, static_cast<std::uint8_t>(number)};
        reset_port(end);
        settle_link(end); // the other end notices
    }
}

void core::link_changed(topology::endpoint end)
{
    auto& owner = nodes[end.node];
    if (quiet || !owner.is_switch() || !owner.running())
        return;
    owner.switching->port_state_change = true;
    send_trap(end.node);
}

} // namespace madrigal::sim
