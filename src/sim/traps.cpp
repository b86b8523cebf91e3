// Trap 128: a switch tells its SM that one of its links changed, until the SM has heard (IBA 14.3, 13.4.9).
#include <sim/core.hpp>
#include <sim/m_key.hpp>

#include <madrigal/wire/attributes/notice.hpp>
#include <madrigal/wire/smp.hpp>
#include <madrigal/wire/trap.hpp>

#include <chrono>

namespace madrigal::sim {
namespace {

/// SubnetTimeOut: a trap is repeated no sooner than after 4.096 us times 2 to its power (IBA 14.2.5.6).
duration repeat_interval(end_port const& from)
{
    return std::chrono::nanoseconds{std::int64_t{4096} << from.subnet_timeout};
}

} // namespace

bool core::send_trap(topology::node_index from)
{
    auto& sender = nodes[from];
    auto const& end = *sender.ports[0].end;
    if (end.base_lid == 0 || end.sm_lid == 0)
        return false;
    if (!sender.trap) {
        sender.trap = std::make_unique<pending_trap>();
        sender.trap->kind = event_kind::trap_repeats;
        sender.trap->node = from;
    }
    auto& trap = *sender.trap;
    if (!trap.active) // one that is not repressed yet tells of this change too
        trap.transaction_id = ++last_trap;
    trap.active = true;
    repeat_trap(trap);
    return true;
}

void core::repeat_trap(pending_trap& trap)
{
    auto& sender = nodes[trap.node];
    auto const& end = *sender.ports[0].end;
    if (!sender.running() || end.base_lid == 0 || end.sm_lid == 0) {
        trap.active = false;
        return;
    }
    auto& one = packets.take();
    one.at = trap.node;
    one.to = {};
    one.to.source_lid = end.base_lid;
    one.to.destination_lid = end.sm_lid;
    one.to.service_level = end.sm_sl;
    // The M_Key of a trap is 0: it would tell the key to whoever listens.
    build_lid_routed_smp(one.mad,
        {.method_of_mad = method::trap, .transaction_id = trap.transaction_id, .attribute_id = attribute_id::notice});
    notice told;
    told.is_generic = true;
    told.type = notice_type::urgent;
    told.producer_type = notice_producer::switch_;
    told.trap_number = trap_number::link_state_changed;
    told.issuer_lid = lid{end.base_lid};
    told.data_details = encode_trap(link_state_trap{.switch_lid = lid{end.base_lid}});
    (void)encode(told, smp_data(std::span<std::byte, mad_size>{one.mad}));
    ++counts.traps;
    events.push(trap, now + repeat_interval(end));
    launch(one, 0);
}

void core::repress_trap(packet& one)
{
    auto& sender = nodes[one.at];
    if (may_change(sender.ports[0].end->guard, smp_m_key(one))) {
        events.remove(*sender.trap);
        sender.trap->active = false;
        packets.give_back(one);
    } else {
        m_key_violated(*this, *sender.ports[0].end);
        drop(one, drop_reason::m_key);
    }
}

} // namespace madrigal::sim
