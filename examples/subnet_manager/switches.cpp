#include "switches.hpp"

#include <madrigal/wire/attributes/switch_info.hpp>

#include <algorithm>

namespace sm {
namespace {

using madrigal::forwarding_block;
using madrigal::subnet::smp_order;

/// 4.096 us times 2 to this power: the longest that a packet may stay in a switch.
constexpr std::uint8_t life_time = 18;

forwarding_block block_of(forwarding_table const& table, unsigned block)
{
    forwarding_block ports;
    ports.fill(madrigal::no_route);
    auto const first = std::min<std::size_t>(block * ports.size(), table.size());
    auto const last = std::min<std::size_t>(first + ports.size(), table.size());
    std::copy(table.begin() + static_cast<std::ptrdiff_t>(first), table.begin() + static_cast<std::ptrdiff_t>(last),
        ports.begin());
    return ports;
}

} // namespace

void forget_lost_tables(written_by_switch& written, subnet const& of)
{
    for (auto const index : of.switches)
        if (auto const known = written.find(of.node(index).node_guid.value());
            known != written.end() && of.found.attributes[index].switch_info.linear_fdb_top == 0)
            written.erase(known);
}

void order_switch(madrigal::subnet::smp_work& work, subnet const& of, unsigned number, written_tables& written)
{
    auto const index = of.switches[number];
    auto const guid = of.node(index).node_guid;
    auto const& now = of.found.attributes[index].switch_info;
    auto info = now;
    info.linear_fdb_top = of.top;
    info.life_time_value = life_time;
    // A Set of 1 clears it. What changes from here on sets it again, and the next light sweep sees that.
    if (info.linear_fdb_top != now.linear_fdb_top || info.life_time_value != now.life_time_value ||
        now.port_state_change)
        work.add(of.route(index), guid, smp_order::set(info));

    auto const blocks = of.top / 64U + 1;
    written.unicast.resize(blocks);
    written.known.resize(blocks);
    work.add(of.route(index), guid,
        [&table = of.tables[number], &written, blocks, block = 0U]() mutable -> std::optional<smp_order> {
            while (block != blocks) {
                auto const at = block++;
                auto const ports = block_of(table, at);
                if (!written.known[at] || written.unicast[at] != ports)
                    return smp_order::set(madrigal::linear_forwarding_table{ports}, at);
            }
            return std::nullopt;
        });
}

void note_answer(written_tables& written, smp_order const& order, madrigal::mad_view answer)
{
    if (order.attribute_id == madrigal::linear_forwarding_table::layout.id) {
        auto const told = answer.attribute<madrigal::linear_forwarding_table>();
        if (told && order.modifier < written.unicast.size()) {
            written.unicast[order.modifier] = told->ports;
            written.known[order.modifier] = true;
        }
    } else if (order.attribute_id == madrigal::multicast_forwarding_table::layout.id) {
        if (auto const told = answer.attribute<madrigal::multicast_forwarding_table>())
            written.multicast[order.modifier] = told->port_masks;
    }
}

} // namespace sm
