// Two machines of one fabric, each of which may be its subnet manager.
#pragma once

#include "runtime/two_machines.hpp"

#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/wire/smp.hpp>
#include <madrigal/wire/trap.hpp>

#include <deque>
#include <map>
#include <vector>

namespace madrigal::testing {

/// The shortest directed route from one node to another.
[[nodiscard]] inline directed_route route_between(
    topology::fabric const& in, topology::node_index from, topology::node_index to)
{
    std::map<topology::node_index, directed_route> known{{from, directed_route{}}};
    std::deque<topology::node_index> next{from};
    while (!next.empty() && known.count(to) == 0) {
        auto const here = next.front();
        next.pop_front();
        if (here != from && in.at(here).type != node_type::switch_)
            continue;
        for (std::uint8_t number = 1; number <= in.at(here).port_count(); ++number)
            if (auto const peer = in.at(here).external_port(number).peer; peer)
                if (known.try_emplace(peer.node, known.at(here).extended(number)).second)
                    next.push_back(peer.node);
    }
    return known.at(to);
}

/// The first CA, whose port the others know as their SM's, and the last.
struct two_hosts {
    explicit two_hosts(sim::fabric_options options = configured()) : s{small_tree(), std::move(options)}, other{s} {}

    simulated s;
    second_machine other;
    port first = s.on_loop->open().value();

    [[nodiscard]] lid first_lid() const { return first.attributes().base_lid; }
    [[nodiscard]] directed_route to_other() const
    {
        return route_between(s.fabric->layout(), s.host->node(), other.node);
    }
    [[nodiscard]] directed_route to_first() const
    {
        return route_between(s.fabric->layout(), other.node, s.host->node());
    }
};

[[nodiscard]] inline notice threshold_trap_of(std::uint8_t port_number, std::uint16_t number = 129)
{
    notice told;
    told.is_generic = true;
    told.type = notice_type::urgent;
    told.producer_type = notice_producer::ca;
    told.trap_number = number;
    told.issuer_lid = lid{4};
    told.data_details = encode_trap(threshold_trap{.port_lid = lid{4}, .port_number = port_number});
    return told;
}

/// A trap as it is sent, with rubbish wherever nothing belongs.
[[nodiscard]] inline raw_mad trap_mad(destination const& to, notice const& told, std::byte rubbish = std::byte{0})
{
    raw_mad mad{to};
    smp_request const what{.method_of_mad = method::trap, .attribute_id = attribute_id::notice};
    if (to.type() == destination::kind::directed_route) {
        build_directed_route_smp(mad.bytes, what, to.route());
        std::fill(mad.bytes.begin() + 36, mad.bytes.begin() + 64, rubbish);
    } else {
        build_lid_routed_smp(mad.bytes, what);
        std::fill(mad.bytes.begin() + 32, mad.bytes.begin() + 64, rubbish);
        std::fill(mad.bytes.begin() + 128, mad.bytes.end(), rubbish);
    }
    (void)mutable_mad_view{mad.bytes}.set_attribute(told);
    return mad;
}

} // namespace madrigal::testing
