// PortInfo: what a port tells, and what a Set makes of it (IBA 14.2.5.6).
#include <sim/gid_table.hpp>
#include <sim/m_key.hpp>
#include <sim/sa_server.hpp>
#include <sim/sma.hpp>

#include <madrigal/wire/link_rate.hpp>

namespace madrigal::sim {
namespace {

constexpr mtu largest_mtu = mtu::bytes_4096;
constexpr virtual_lanes most_lanes = virtual_lanes::vl0_7;

/// Exactly what this simulator does: traps are a switch's, and nothing is kept over a power cycle.
port_capabilities capabilities_of(core const& of, topology::endpoint at)
{
    auto const& owner = of.nodes[at.node];
    auto const& end = *owner.ports[at.port].end;
    port_capabilities mask{port_capability::client_reregistration};
    mask.set(port_capability::is_sm, end.issm_held || has_built_in_sm(of, at));
    mask.set(port_capability::sm_disabled, !end.has_smi);
    mask.set(port_capability::trap, owner.is_switch());
    mask.set(port_capability::sl_mapping);
    mask.set(port_capability::multicast_fdb_top, owner.is_switch());
    mask.set(port_capability::system_image_guid, of.layout.at(at.node).system_image_guid.has_value());
    return mask;
}

bool is_legal(lid wanted, std::uint16_t present)
{
    return wanted.is_unicast() || wanted.value() == present;
}

/// A field of enabled bits: 0 leaves it, `all` enables what is supported, else a part of that.
template <class Bit>
struct enabling {
    flags<Bit> wanted;
    flags<Bit> supported;
    typename flags<Bit>::value_type all;
    typename flags<Bit>::value_type none = 0; ///< where there is a value for "nothing", such as 30

    [[nodiscard]] bool legal() const
    {
        auto const value = wanted.value();
        return value == 0 || value == all || (none != 0 && value == none) || (value & ~supported.value()) == 0;
    }
    void apply(std::optional<flags<Bit>>& to) const
    {
        if (wanted.value() == all)
            to.reset();
        else if (wanted.value() != 0)
            to = wanted.value() == none ? flags<Bit>{} : wanted;
    }
};

struct enablings {
    enabling<link_width> width;
    enabling<legacy_speed> speed;
    enabling<extended_speed> extended;
    enabling<extended_speed2> extended2;

    enablings(port_info const& wanted, port_info const& present)
        : width{wanted.link_width_enabled, present.link_width_supported, 0xFF},
          speed{wanted.link_speed_enabled, present.link_speed_supported, 0xF},
          extended{wanted.link_speed_ext_enabled, present.link_speed_ext_supported, 31, 30},
          extended2{wanted.link_speed_ext2_enabled, present.link_speed_ext2_supported, 7, 6}
    {}
    [[nodiscard]] bool legal() const { return width.legal() && speed.legal() && extended.legal() && extended2.legal(); }
    void apply(port& to) const
    {
        width.apply(to.width_enabled);
        speed.apply(to.speed_enabled);
        extended.apply(to.speed_ext_enabled);
        extended2.apply(to.speed_ext2_enabled);
    }
};

/// PortState and PortPhysicalState of a Set may only be what leads somewhere from here (IBA 14.2.5.6, 7.2.7).
bool is_legal_transition(port const& from, port_info const& wanted)
{
    switch (wanted.phys_state) {
    case physical_state::no_change: break;
    case physical_state::sleep:
    case physical_state::polling:
    case physical_state::disabled: return wanted.state == port_state::no_change || wanted.state == port_state::down;
    default: return false;
    }
    switch (wanted.state) {
    case port_state::no_change:
    case port_state::down: return true;
    case port_state::armed: return from.state == port_state::init || from.state == port_state::armed;
    case port_state::active: return from.state == port_state::armed || from.state == port_state::active;
    default: return false;
    }
}

/// A port that has a state machine; only there states may be set. A base port 0 has none.
bool has_states(node const& owner, unsigned number)
{
    return number != 0 || owner.switching->enhanced_port0;
}

bool is_legal(sma_request const& request, unsigned number, port_info const& wanted, port_info const& present)
{
    auto const& owner = request.asked;
    auto const& one = owner.ports[number];
    if (wanted.link_down_default > link_down_default_state::polling)
        return false;
    if (number != 0 && (wanted.neighbor_mtu < mtu::bytes_256 || wanted.neighbor_mtu > largest_mtu ||
                           wanted.operational_vls > most_lanes))
        return false;
    if (number != 0 && !enablings{wanted, present}.legal())
        return false;
    if (has_states(owner, number) && !is_legal_transition(one, wanted))
        return false;
    if (number == 0 &&
        (wanted.phys_state != physical_state::no_change && wanted.phys_state != physical_state::polling &&
            wanted.phys_state != physical_state::link_up))
        return false;
    if (!one.end)
        return true;
    if (!is_legal(wanted.base_lid, one.end->base_lid) || !is_legal(wanted.master_sm_lid, one.end->sm_lid))
        return false;
    if (number == 0 && !owner.switching->enhanced_port0 && wanted.lmc != 0)
        return false;
    // All LIDs of the range must be unicast, and the range starts where its LMC lets it.
    return (wanted.base_lid.value() & ((1u << wanted.lmc) - 1)) == 0 &&
           wanted.base_lid.value() + (1u << wanted.lmc) - 1 <= max_unicast_lid.value();
}

void apply_end(end_port& to, port_info const& wanted)
{
    to.guard.key = wanted.m_key;
    to.guard.protect_bits = wanted.m_key_protect_bits;
    to.guard.lease_seconds = wanted.m_key_lease_period;
    to.guard.lease_end = never;
    to.guard.violations = wanted.m_key_violations;
    to.subnet_prefix = wanted.gid_prefix;
    to.base_lid = wanted.base_lid.value();
    to.lmc = wanted.lmc;
    to.sm_lid = wanted.master_sm_lid.value();
    to.sm_sl = wanted.master_sm_sl;
    to.subnet_timeout = wanted.subnet_timeout;
    to.client_reregister = wanted.client_reregister;
}

void apply_link(port& to, port_info const& wanted, bool is_switch)
{
    to.neighbor_mtu = wanted.neighbor_mtu;
    if (wanted.operational_vls != virtual_lanes::no_change)
        to.operational_vls = wanted.operational_vls;
    if (wanted.link_down_default != link_down_default_state::no_change)
        to.down_default = wanted.link_down_default;
    to.vl_high_limit = wanted.vl_high_limit;
    to.overrun_errors = wanted.overrun_errors;
    to.phy_errors = wanted.local_phy_errors;
    if (!is_switch)
        return;
    to.vl_stall_count = wanted.vl_stall_count;
    to.hoq_life = wanted.hoq_life;
    to.enforcement = static_cast<std::uint8_t>(wanted.partition_enforcement_inbound << 3 |
                                               wanted.partition_enforcement_outbound << 2 |
                                               wanted.filter_raw_inbound << 1 | wanted.filter_raw_outbound << 0);
}

void apply_state(core& of, topology::endpoint end, port_info const& wanted)
{
    auto& one = of.at(end);
    if (end.port == 0) {
        if (wanted.state == port_state::armed || wanted.state == port_state::active)
            one.state = wanted.state;
        return;
    }
    if (wanted.phys_state != physical_state::no_change)
        of.take_down(end, wanted.phys_state);
    else if (wanted.state == port_state::down)
        of.take_down(
            end, one.down_default == link_down_default_state::sleep ? physical_state::sleep : physical_state::polling);
    else if (wanted.state != port_state::no_change)
        one.state = wanted.state;
}

} // namespace

port_info describe_port(core const& of, topology::node_index index, unsigned number, std::uint8_t arrived_by)
{
    auto const& owner = of.nodes[index];
    auto const& one = owner.ports[number];
    port_info info;
    info.local_port_num = arrived_by;
    if (one.end) {
        auto const& end = *one.end;
        info.m_key = end.guard.key;
        info.m_key_protect_bits = end.guard.protect_bits;
        info.m_key_lease_period = end.guard.lease_seconds;
        info.m_key_violations = end.guard.violations;
        info.gid_prefix = end.subnet_prefix;
        info.base_lid = lid{end.base_lid};
        info.lmc = end.lmc;
        info.master_sm_lid = lid{end.sm_lid};
        info.master_sm_sl = end.sm_sl;
        info.subnet_timeout = end.subnet_timeout;
        info.client_reregister = end.client_reregister;
        info.resp_time_value = 16;
        info.guid_cap = guid_entries;
        info.capability_mask = capabilities_of(of, {index, static_cast<std::uint8_t>(number)});
    }
    // A switch's port 0 speaks for all its ports: its masks say what the extended fields of any of them need.
    port_info ignored;
    if (number == 0) {
        set_link(ignored, info, one.width, owner.fastest);
        info.link_width_active = link_width::x4;
        info.link_width_supported = info.link_width_enabled = flags<link_width>{link_width::x4};
        info.link_speed_active = legacy_speed::sdr;
        info.link_speed_supported = info.link_speed_enabled = flags<legacy_speed>{legacy_speed::sdr};
    } else {
        set_link(info, owner.is_switch() ? ignored : info, one.width, one.speed);
        port_info trained;
        set_link(trained, ignored, one.active_width(), one.active_speed());
        info.link_width_active = trained.link_width_active;
        info.link_speed_active = trained.link_speed_active;
        info.link_speed_ext_active = trained.link_speed_ext_active;
        info.link_speed_ext2_active = trained.link_speed_ext2_active;
    }
    info.link_width_enabled = one.width_enabled.value_or(info.link_width_enabled);
    info.link_speed_enabled = one.speed_enabled.value_or(info.link_speed_enabled);
    info.link_speed_ext_enabled = one.speed_ext_enabled.value_or(info.link_speed_ext_enabled);
    info.link_speed_ext2_enabled = one.speed_ext2_enabled.value_or(info.link_speed_ext2_enabled);
    info.state = one.state;
    info.phys_state = one.phys_state;
    info.link_down_default = one.down_default;
    info.neighbor_mtu = one.neighbor_mtu;
    info.mtu_cap = largest_mtu;
    info.vl_cap = most_lanes;
    info.operational_vls = one.operational_vls;
    info.vl_high_limit = one.vl_high_limit;
    if (number != 0)
        info.vl_arbitration_low_cap = info.vl_arbitration_high_cap = arbitration_entries;
    info.vl_stall_count = one.vl_stall_count;
    info.hoq_life = one.hoq_life;
    info.partition_enforcement_inbound = (one.enforcement & 8) != 0;
    info.partition_enforcement_outbound = (one.enforcement & 4) != 0;
    info.filter_raw_inbound = (one.enforcement & 2) != 0;
    info.filter_raw_outbound = (one.enforcement & 1) != 0;
    info.overrun_errors = one.overrun_errors;
    info.local_phy_errors = one.phy_errors;
    return info;
}

std::uint16_t answer_port_info(sma_request const& request)
{
    // Bit 31 says that the asker knows the extended speeds; it changes nothing here.
    unsigned number = request.modifier & 0x7FFF'FFFF;
    if (number == 0 && !request.asked.is_switch())
        number = request.port;
    if (number > request.asked.port_count())
        return mad_status::invalid_value;
    if (request.is_set) {
        auto const wanted = request.wanted<port_info>();
        auto const present = describe_port(request.fabric, request.index, number, request.port);
        if (!is_legal(request, number, wanted, present))
            return mad_status::invalid_value;
        auto& one = request.asked.ports[number];
        if (one.end)
            apply_end(*one.end, wanted);
        if (number != 0) {
            apply_link(one, wanted, request.asked.is_switch());
            enablings{wanted, present}.apply(one);
        }
        if (has_states(request.asked, number))
            apply_state(request.fabric, {request.index, static_cast<std::uint8_t>(number)}, wanted);
    }
    auto info = describe_port(request.fabric, request.index, number, request.port);
    auto const& shown = request.asked.ports[number].end;
    if (shown && !may_see(shown->guard, request.m_key))
        info.m_key = 0;
    return request.give(info);
}

} // namespace madrigal::sim
