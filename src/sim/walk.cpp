// The way of a packet: out of a node, over links, through switches, to the node that it is for.
#include <sim/core.hpp>
#include <sim/directed_route_step.hpp>

#include <algorithm>

namespace madrigal::sim {
namespace {

constexpr std::uint16_t permissive = permissive_lid.value();

bool is_directed(packet const& one) noexcept
{
    return one.is_smp() && one.view().mgmt_class() == management_class::subnet_directed_route;
}

/// How long a packet counts, in words of 4 bytes: from the local route header to the invariant CRC (IBA 16.1.3.5).
constexpr unsigned words_of(packet const& one) noexcept
{
    constexpr unsigned local_header = 8;
    constexpr unsigned global_header = 40;
    constexpr unsigned transport_headers = 20;
    constexpr unsigned invariant_crc = 4;
    return (local_header + (one.to.has_grh ? global_header : 0) + transport_headers + mad_size + invariant_crc) / 4;
}

bool is_multicast(packet const& one) noexcept
{
    return one.to.destination_lid > max_unicast_lid.value() && one.to.destination_lid != permissive;
}

} // namespace

void core::launch(packet& one, unsigned port)
{
    ++counts.transmitted;
    one.port = static_cast<std::uint8_t>(port);
    if (!nodes[one.at].running()) {
        drop(one, drop_reason::node_off);
        return;
    }
    if (nodes[one.at].is_switch())
        count_sent(one, nodes[one.at].ports[0]);
    auto const out = is_directed(one) ? direct(one, true) : route(one);
    if (out)
        walk(one, *out);
}

void core::count_sent(packet const& one, port& by)
{
    by.counts.sent(words_of(one), is_multicast(one), !one.is_smp(), one.to.service_level);
}

void core::count_received(packet const& one, port& by)
{
    by.counts.received(words_of(one), is_multicast(one), !one.is_smp(), one.to.service_level);
}

void core::drop(packet& one, drop_reason why) noexcept
{
    count(why);
    packets.give_back(one);
}

void core::walk(packet& one, unsigned port)
{
    while (cross(one, port)) {
        auto const next = arrive(one);
        if (!next)
            return;
        port = *next;
    }
}

bool core::cross(packet& one, unsigned port)
{
    auto& mine = nodes[one.at].ports[port];
    if (!link_is_up(mine)) {
        mine.counts.discarded();
        drop(one, drop_reason::link_down);
        return false;
    }
    auto& theirs = nodes[mine.cable.node].ports[mine.cable.port];
    // Before ACTIVE a port carries subnet management only; an ARMED one may already receive (IBA 7.2.7).
    if (!one.is_smp() && (mine.state != port_state::active || theirs.state < port_state::armed)) {
        if (mine.state != port_state::active)
            mine.counts.discarded();
        drop(one, drop_reason::port_not_active);
        return false;
    }
    // A way that is longer than there are nodes goes in circles.
    if (one.hops >= std::max<std::size_t>(64, nodes.size())) {
        drop(one, drop_reason::hop_limit);
        return false;
    }
    ++one.hops;
    ++counts.hops;
    count_sent(one, mine);
    if (random.chance(mine.cable_loss < 0 ? faults.loss : mine.cable_loss)) {
        theirs.counts.damaged();
        drop(one, drop_reason::loss);
        return false;
    }
    one.at = mine.cable.node;
    one.port = mine.cable.port;
    if (random.chance(faults.duplicate)) {
        packet& copy = packets.take();
        copy.at = one.at;
        copy.port = one.port;
        copy.hops = one.hops;
        copy.to = one.to;
        copy.mad = one.mad;
        copy.kind = event_kind::packet_arrives;
        ++counts.duplicated;
        events.push(copy, now + faults.hop_latency + random.up_to(faults.jitter));
    }
    auto const latency = faults.hop_latency + random.up_to(faults.jitter);
    if (latency <= duration{})
        return true;
    one.kind = event_kind::packet_arrives;
    events.push(one, now + latency);
    return false;
}

std::optional<unsigned> core::arrive(packet& one)
{
    auto& here = nodes[one.at];
    if (!here.running()) {
        drop(one, drop_reason::node_off);
        return std::nullopt;
    }
    count_received(one, here.ports[one.port]);
    auto const destination = one.to.destination_lid;
    bool const is_for_us = owns(here.end_for(one.port), destination);
    if (!is_for_us && !(destination == permissive && one.is_smp())) {
        if (here.is_switch())
            return route(one);
        drop(one, drop_reason::wrong_destination);
        return std::nullopt;
    }
    if (is_directed(one))
        return direct(one, false);
    deliver(one);
    return std::nullopt;
}

std::optional<unsigned> core::route(packet& one)
{
    auto& here = nodes[one.at];
    auto const destination = one.to.destination_lid;
    if (owns(here.end_for(one.port), destination)) { // sent to itself
        if (is_directed(one))
            return direct(one, false);
        if (!one.is_smp() && here.ports[here.end_number(one.port)].state != port_state::active)
            drop(one, drop_reason::port_not_active);
        else
            deliver(one);
        return std::nullopt;
    }
    if (!here.is_switch())
        return one.port;
    unsigned const out = here.switching->route(destination);
    if (out >= 1 && out <= here.port_count())
        return out;
    here.ports[one.port].counts.not_relayed();
    drop(one, out == 0 ? drop_reason::wrong_destination : drop_reason::no_route);
    return std::nullopt;
}

std::optional<unsigned> core::direct(packet& one, bool from_inside)
{
    auto const& here = nodes[one.at];
    auto const step = from_inside ? step_from_inside(one.mad) : step_from_outside(one.mad, here.is_switch(), one.port);
    switch (step.go) {
    case directed_route_step::way::discard: break;
    case directed_route_step::way::consume: deliver(one); return std::nullopt;
    case directed_route_step::way::by_lid:
        if (step.destination != 0) {
            one.to.destination_lid = step.destination;
            one.to.source_lid = here.end_for(one.port).base_lid;
        }
        return route(one);
    case directed_route_step::way::leave:
        // A CA sends through the port that its agent uses, whatever the path says.
        if (step.port == 0 || step.port > here.port_count() || (!here.is_switch() && step.port != one.port))
            break;
        one.to.destination_lid = permissive;
        one.to.source_lid = permissive;
        return step.port;
    }
    drop(one, drop_reason::bad_directed_route);
    return std::nullopt;
}

} // namespace madrigal::sim
