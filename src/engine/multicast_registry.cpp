#include <madrigal/engine/multicast_registry.hpp>

#include <engine/multicast_join.hpp>

#include <algorithm>

namespace madrigal::engine {
namespace {

/// What names a membership.
constexpr auto named = components<&mc_member_record::mgid> | components<&mc_member_record::port_gid> |
                       components<&mc_member_record::join_states>;

membership_outcome refused(std::uint16_t status)
{
    membership_outcome outcome;
    outcome.status = status;
    return outcome;
}

/// How many one has.
std::size_t share_of(std::map<gid, std::size_t> const& shares, gid const& one)
{
    auto const found = shares.find(one);
    return found == shares.end() ? 0 : found->second;
}

void count_down(std::map<gid, std::size_t>& shares, gid const& one)
{
    if (auto const found = shares.find(one); found != shares.end() && --found->second == 0)
        shares.erase(found);
}

mc_member_record record_of(multicast_group const& group, gid const& port, group_member const& member)
{
    auto record = group.common;
    record.port_gid = port;
    record.join_states = member.states;
    record.proxy_join = member.proxy;
    return record;
}

} // namespace

multicast_registry::multicast_registry(multicast_registry_options options) : options_{options}
{
    set_multicast_lids(options.multicast_lids);
}

membership_outcome multicast_registry::join(query_type const& query, joining_port const* port)
{
    if (!query.mask().has(named))
        return refused(mad_status::sa_insufficient_components);
    auto const& wanted = query.record();
    bool const unnamed = wanted.mgid == gid{};
    if (port == nullptr || wanted.port_gid == gid{} || is_multicast(wanted.port_gid) ||
        (!unnamed && !is_group_name(wanted.mgid)))
        return refused(mad_status::sa_invalid_gid);
    if (wanted.join_states.empty())
        return refused(mad_status::sa_request_invalid);
    auto place = unnamed ? groups_.end() : find_group(wanted.mgid);
    bool const is_there = place != groups_.end();
    bool const is_member = is_there && place->second.members.contains(wanted.port_gid);
    auto const& asker = port->asker != gid{} ? port->asker : wanted.port_gid;
    if (!is_member &&
        (members_ >= options_.most_members || share_of(members_of_, asker) >= options_.most_members_of_one))
        return refused(mad_status::sa_no_resources);
    if (is_there) {
        if (!fits(place->second.common, query, *port))
            return refused(mad_status::sa_request_invalid);
        // Who has joined by itself is nobody else's to change.
        if (is_member && port->by_proxy && !place->second.members.at(wanted.port_gid).proxy)
            return refused(mad_status::sa_request_invalid);
    } else {
        auto plan = plan_group(query, *port, options_);
        if (plan.status != mad_status::ok)
            return refused(plan.status);
        if (share_of(groups_of_, asker) >= options_.most_groups_of_one)
            return refused(mad_status::sa_no_resources);
        if (unnamed)
            plan.common.mgid = free_name(plan.scope, free_lid());
        place = add(plan.common);
        if (place == groups_.end())
            return refused(mad_status::sa_no_resources);
        place->second.maker = asker;
        ++groups_of_[asker];
    }
    auto& group = place->second;
    auto& member = group.members.try_emplace(wanted.port_gid, group_member{{}, port->by_proxy, asker}).first->second;
    if (!is_member) {
        ++members_;
        ++members_of_[asker];
    }
    auto const before = member.states;
    member.states = before | wanted.join_states;
    membership_outcome outcome;
    outcome.record = record_of(group, wanted.port_gid, member);
    outcome.group_created = !is_there;
    outcome.membership_changed = member.states != before;
    return outcome;
}

membership_outcome multicast_registry::leave(query_type const& query, bool by_proxy)
{
    if (!query.mask().has(named))
        return refused(mad_status::sa_insufficient_components);
    auto const& wanted = query.record();
    auto const place = find_group(wanted.mgid);
    if (place == groups_.end())
        return refused(mad_status::sa_request_invalid);
    auto& group = place->second;
    auto const found = group.members.find(wanted.port_gid);
    auto const states = wanted.join_states;
    if (found == group.members.end() || states.empty() || (found->second.states & states) != states ||
        (by_proxy && !found->second.proxy))
        return refused(mad_status::sa_request_invalid);
    auto& member = found->second;
    member.states =
        flags<join_state>::from_value(static_cast<std::uint8_t>(member.states.value() & ~unsigned{states.value()}));
    membership_outcome outcome;
    outcome.record = record_of(group, wanted.port_gid, member);
    outcome.membership_changed = true;
    if (member.states.empty()) {
        uncount(member);
        group.members.erase(found);
    }
    settle(place, outcome);
    return outcome;
}

std::vector<membership_outcome> multicast_registry::remove_port(gid const& port)
{
    std::vector<membership_outcome> outcomes;
    for (auto place = groups_.begin(); place != groups_.end();) {
        auto const here = place++; // which may go
        auto& group = here->second;
        if (auto member = group.members.find(port); member != group.members.end()) {
            outcomes.push_back(drop(group, member));
            settle(here, outcomes.back());
        }
    }
    return outcomes;
}

std::vector<membership_outcome> multicast_registry::remove_ports(std::function<bool(gid const& port)> const& gone)
{
    std::vector<membership_outcome> outcomes;
    for (auto place = groups_.begin(); place != groups_.end();) {
        auto const here = place++; // which may go
        auto& group = here->second;
        auto const before = outcomes.size();
        for (auto member = group.members.begin(); member != group.members.end();) {
            if (gone(member->first))
                outcomes.push_back(drop(group, member));
            else
                ++member;
        }
        if (outcomes.size() != before)
            settle(here, outcomes.back());
    }
    return outcomes;
}

membership_outcome multicast_registry::keep_group(mc_member_record const& group)
{
    if (!is_group_name(group.mgid))
        return refused(mad_status::sa_invalid_gid);
    membership_outcome outcome;
    auto place = find_group(group.mgid);
    if (place == groups_.end()) {
        constexpr std::uint16_t partition = 0x7FFF;
        if ((group.p_key & partition) == 0 || !is_known(group.group_mtu) || !is_known(group.rate) ||
            (group.mlid != lid{} && (!group.mlid.is_multicast() || groups_.contains(group.mlid))))
            return refused(mad_status::sa_request_invalid);
        auto common = group;
        common.p_key = as_full_member(group.p_key);
        common.port_gid = {};
        common.join_states = {};
        common.proxy_join = false;
        common.mtu_selector = common.rate_selector = common.packet_life_time_selector = selector::exactly;
        common.scope = static_cast<multicast_scope>(group.mgid.bytes()[1] & 0xF);
        place = add(common);
        if (place == groups_.end())
            return refused(mad_status::sa_no_resources);
        outcome.group_created = true;
    }
    place->second.stays = true;
    outcome.record = place->second.common;
    return outcome;
}

membership_outcome multicast_registry::let_group_go(gid const& mgid)
{
    auto const place = find_group(mgid);
    if (place == groups_.end())
        return refused(mad_status::sa_no_records);
    place->second.stays = false;
    membership_outcome outcome;
    outcome.record = place->second.common;
    auto const before = members_;
    settle(place, outcome);
    outcome.membership_changed = members_ != before;
    return outcome;
}

bool multicast_registry::find(
    query_type const& query, bool trusted, std::function<bool(mc_member_record const&)> const& take) const
{
    constexpr auto membership = components<&mc_member_record::port_gid> | components<&mc_member_record::join_states> |
                                components<&mc_member_record::proxy_join>;
    // What has a selector is looked at beside the rest.
    auto const ignored = wishes_of(query.mask()).value() | (trusted ? 0 : membership.value());
    query_type const values{
        query.record(), component_mask<mc_member_record>::from_value(query.mask().value() & ~ignored)};
    bool const of_port = query.mask().has(components<&mc_member_record::port_gid>);
    auto const show = [&](mc_member_record const& record) { return !values.matches(record) || take(record); };
    for (auto const& [mlid, group] : groups_) {
        if (!meets_wishes(group.common, query))
            continue;
        if (!trusted) {
            bool const counts = !of_port || group.members.contains(query.record().port_gid);
            if (counts && !show(group.common))
                return false;
            continue;
        }
        if (group.members.empty() && !show(group.common))
            return false;
        for (auto const& [port, member] : group.members)
            if (!show(record_of(group, port, member)))
                return false;
    }
    return true;
}

multicast_group const* multicast_registry::group(gid const& mgid) const noexcept
{
    auto const found = by_name_.find(mgid);
    return found == by_name_.end() ? nullptr : &groups_.find(found->second)->second;
}

void multicast_registry::set_multicast_lids(std::uint16_t count) noexcept
{
    options_.multicast_lids = std::min(count, most_multicast_lids);
}

multicast_registry::group_place multicast_registry::find_group(gid const& mgid) noexcept
{
    auto const found = by_name_.find(mgid);
    return found == by_name_.end() ? groups_.end() : groups_.find(found->second);
}

multicast_registry::group_place multicast_registry::add(mc_member_record common)
{
    if (common.mlid == lid{})
        common.mlid = free_lid();
    bool const has_room = groups_.size() < options_.most_groups && common.mlid != lid{} &&
                          common.mlid.value() - first_multicast_lid.value() < options_.multicast_lids;
    if (!has_room)
        return groups_.end();
    by_name_.emplace(common.mgid, common.mlid);
    multicast_group group;
    group.common = common;
    return groups_.emplace(common.mlid, std::move(group)).first;
}

membership_outcome multicast_registry::drop(multicast_group& group, std::map<gid, group_member>::iterator& member)
{
    membership_outcome outcome;
    outcome.record = record_of(group, member->first, {});
    outcome.membership_changed = true;
    uncount(member->second);
    member = group.members.erase(member);
    return outcome;
}

/// The lowest that no group has; 0 where there is none.
lid multicast_registry::free_lid() const noexcept
{
    auto free = first_multicast_lid.value();
    for (auto const& [mlid, group] : groups_) {
        if (mlid.value() != free)
            break;
        ++free;
    }
    return free - first_multicast_lid.value() < options_.multicast_lids ? lid{free} : lid{};
}

/// A GID that no group has: the MLID is its end, unless somebody has chosen just that before.
gid multicast_registry::free_name(std::uint8_t scope, lid mlid) const
{
    constexpr std::uint32_t step = 0x1'0000;
    auto const upper = std::uint64_t{0xFF10U | scope} << 48 | std::uint64_t{given_signature} << 32;
    auto const prefix = options_.subnet_prefix;
    // There are fewer groups than steps.
    for (std::uint32_t number = mlid.value();; number += step)
        if (gid const name{upper | prefix >> 32, guid{prefix << 32 | number}}; !by_name_.contains(name))
            return name;
}

void multicast_registry::uncount(group_member const& member)
{
    --members_;
    count_down(members_of_, member.asker);
}

void multicast_registry::settle(group_place place, membership_outcome& outcome)
{
    auto const& group = place->second;
    bool const held = group.stays || std::any_of(group.members.begin(), group.members.end(),
                                         [&](auto const& one) { return is_full(one.second); });
    if (held)
        return;
    for (auto const& [port, member] : group.members)
        uncount(member);
    count_down(groups_of_, group.maker);
    by_name_.erase(group.common.mgid);
    groups_.erase(place);
    outcome.group_deleted = true;
}

bool multicast_registry::is_full(group_member const& one) const noexcept
{
    return one.states.has(join_state::full_member) ||
           (options_.send_only_full_members && one.states.has(join_state::send_only_full_member));
}

} // namespace madrigal::engine
