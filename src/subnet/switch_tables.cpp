#include <madrigal/subnet/switch_tables.hpp>

#include <madrigal/wire/attributes/switch_info.hpp>

#include <algorithm>
#include <set>

namespace madrigal {
namespace {

/// 4.096 us times 2 to this power: the longest that a packet may stay in a switch.
constexpr std::uint8_t life_time = 18;
/// LIDs of groups (IBA 4.1.3).
constexpr unsigned first_multicast_lid = 0xC000;
constexpr unsigned last_multicast_lid = 0xFFFE;

forwarding_block block_of(forwarding_table const& table, unsigned block)
{
    forwarding_block ports;
    ports.fill(no_route);
    auto const first = std::min<std::size_t>(block * ports.size(), table.size());
    auto const last = std::min<std::size_t>(first + ports.size(), table.size());
    std::copy(table.begin() + static_cast<std::ptrdiff_t>(first), table.begin() + static_cast<std::ptrdiff_t>(last),
        ports.begin());
    return ports;
}

/// What it has lost is gone for good unless this notices: a switch that restarts has no LID and no table, its ports
/// have gone down and come up again, and not all of that need have been so when it was asked.
bool may_have_restarted(managed_subnet const& of, topology::node_index index)
{
    auto const& info = of.found.attributes[index].switch_info;
    auto const* const end = of.end_of({index, 0});
    return info.linear_fdb_top == 0 || info.port_state_change ||
           (end != nullptr && of.info({index, 0}).base_lid != end->base_lid);
}

/// What is known by its GUID of a switch that shares it is another's, as likely as not.
bool shares_guid(managed_subnet const& of, guid of_switch)
{
    return std::count_if(of.switches.begin(), of.switches.end(),
               [&](auto index) { return of.node(index).node_guid == of_switch; }) > 1;
}

} // namespace

void switch_tables::forget_lost(managed_subnet const& of)
{
    for (auto const index : of.switches)
        if (may_have_restarted(of, index))
            by_switch_.erase(of.node(index).node_guid.value());
}

void switch_tables::order(smp_work& work, managed_subnet const& of, unsigned switch_number)
{
    auto const index = of.switches[switch_number];
    auto const guid = of.node(index).node_guid;
    auto const& now = of.found.attributes[index].switch_info;
    auto info = now;
    auto const most = now.linear_fdb_cap != 0 ? now.linear_fdb_cap - 1U : max_unicast_lid.value();
    info.linear_fdb_top = static_cast<std::uint16_t>(std::min<unsigned>(of.top, most));
    info.life_time_value = life_time;
    info.port_state_change = false; // what has changed since the ports were asked is not known yet
    // All of the multicast table counts, whatever the subnet manager before us had in use.
    if (of.info({index, 0}).capability_mask.has(port_capability::multicast_fdb_top) && now.multicast_fdb_cap != 0)
        info.multicast_fdb_top = static_cast<std::uint16_t>(
            first_multicast_lid +
            std::min<unsigned>(now.multicast_fdb_cap, last_multicast_lid - first_multicast_lid + 1U) - 1U);
    // Of a switch that has not answered the rest is not known.
    if (now != switch_info{} &&
        (info.linear_fdb_top != now.linear_fdb_top || info.life_time_value != now.life_time_value ||
            info.multicast_fdb_top != now.multicast_fdb_top))
        work.add(of.route(index), guid, smp_order::set(info));

    unsigned const blocks = forwarding_block_of(lid{info.linear_fdb_top}) + 1;
    auto& has = by_switch_[guid.value()];
    constexpr auto nowhere = [] {
        forwarding_block block{};
        block.fill(no_route);
        return block;
    }();
    has.linear.resize(blocks, nowhere);
    has.known.resize(blocks);
    work.add(of.route(index), guid,
        [&table = of.tables[switch_number], &has, blocks, all = shares_guid(of, guid),
            block = 0U]() mutable -> std::optional<smp_order> {
            while (block != blocks) {
                auto const at = block++;
                auto const ports = block_of(table, at);
                if (!all && has.known[at] && has.linear[at] == ports)
                    continue;
                has.known[at] = false; // it may be written even if nobody answers
                return smp_order::set(linear_forwarding_table{ports}, at);
            }
            return std::nullopt;
        });
}

void switch_tables::order_groups(
    smp_work& work, managed_subnet const& of, unsigned switch_number, multicast_blocks wanted)
{
    auto const index = of.switches[switch_number];
    auto const guid = of.node(index).node_guid;
    auto& has = by_switch_[guid.value()];
    for (auto const& one : has.multicast)
        wanted.try_emplace(one.first);
    for (auto const place : has.doubtful)
        wanted.try_emplace(place);
    // Of blocks that are in use all positions are written: what others have left there leads in circles.
    constexpr std::uint32_t block_bits = 0x1FF;
    std::set<std::uint32_t> used;
    for (auto const& one : wanted)
        used.insert(one.first & block_bits);
    for (auto const block : used)
        for (unsigned position = 0; position <= of.node(index).port_count() / 16U; ++position)
            wanted.try_emplace(block | position << 28);
    if (!shares_guid(of, guid))
        std::erase_if(wanted, [&](auto const& one) {
            auto const known = has.multicast.find(one.first);
            return known != has.multicast.end() && known->second == one.second && !has.doubtful.contains(one.first);
        });
    if (wanted.empty())
        return;
    work.add(of.route(index), guid, [&has, left = std::move(wanted)]() mutable -> std::optional<smp_order> {
        if (left.empty())
            return std::nullopt;
        auto const next = left.extract(left.begin());
        has.doubtful.insert(next.key());
        return smp_order::set(multicast_forwarding_table{next.mapped()}, next.key());
    });
}

void switch_tables::on_answer(guid of_switch, smp_order const& order, mad_view answer)
{
    auto& has = by_switch_[of_switch.value()];
    if (order.attribute_id == linear_forwarding_table::layout.id) {
        auto const told = answer.attribute<linear_forwarding_table>();
        if (told && order.modifier < has.linear.size()) {
            has.linear[order.modifier] = told->ports;
            has.known[order.modifier] = true;
        }
    } else if (order.attribute_id == multicast_forwarding_table::layout.id) {
        if (auto const told = answer.attribute<multicast_forwarding_table>()) {
            has.multicast[order.modifier] = told->port_masks;
            has.doubtful.erase(order.modifier);
        }
    }
}

std::vector<forwarding_block> const& switch_tables::linear(guid of_switch) const noexcept
{
    static std::vector<forwarding_block> const none;
    auto const known = by_switch_.find(of_switch.value());
    return known == by_switch_.end() ? none : known->second.linear;
}

bool switch_tables::has_written(guid of_switch, std::size_t block) const noexcept
{
    auto const known = by_switch_.find(of_switch.value());
    return known != by_switch_.end() && block < known->second.known.size() && known->second.known[block];
}

multicast_blocks const& switch_tables::multicast(guid of_switch) const noexcept
{
    static multicast_blocks const none;
    auto const known = by_switch_.find(of_switch.value());
    return known == by_switch_.end() ? none : known->second.multicast;
}

} // namespace madrigal
