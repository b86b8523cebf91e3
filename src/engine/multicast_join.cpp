#include <engine/multicast_join.hpp>

#include <madrigal/wire/p_key.hpp>
#include <madrigal/wire/path_rates.hpp>

#include <algorithm>
#include <optional>

namespace madrigal::engine {
namespace {

using query_type = record_query<mc_member_record>;

/// What a request may state and a group has, neither more nor less.
constexpr auto properties = components<&mc_member_record::q_key> | components<&mc_member_record::mlid> |
                            components<&mc_member_record::traffic_class> |
                            components<&mc_member_record::service_level> | components<&mc_member_record::flow_label> |
                            components<&mc_member_record::hop_limit> | components<&mc_member_record::scope>;
/// What a request must state to make a group.
constexpr auto needed_to_make = components<&mc_member_record::p_key> | components<&mc_member_record::q_key> |
                                components<&mc_member_record::service_level> |
                                components<&mc_member_record::flow_label> |
                                components<&mc_member_record::traffic_class>;
/// Wishes: a value counts together with its selector.
constexpr auto mtu_wish = components<&mc_member_record::mtu_selector> | components<&mc_member_record::group_mtu>;
constexpr auto rate_wish = components<&mc_member_record::rate_selector> | components<&mc_member_record::rate>;
constexpr auto life_time_wish =
    components<&mc_member_record::packet_life_time_selector> | components<&mc_member_record::packet_life_time>;

bool is_scope(std::uint8_t value) noexcept
{
    return value > 0 && value < 0xF;
}

/// A group has what it has: that cannot be lowered for one member.
bool meets(selector how, bool equal, bool less) noexcept
{
    switch (how) {
    case selector::greater: return !equal && !less;
    case selector::less: return less;
    case selector::exactly: return equal;
    case selector::best: break;
    }
    return true;
}

/// Named as subnet administration alone names groups, in a scope where it gives all such names.
bool is_given_name(gid const& name) noexcept
{
    auto const& bytes = name.bytes();
    bool const is_link_local = (bytes[1] & 0xF) == static_cast<std::uint8_t>(multicast_scope::link_local);
    return is_link_local && bytes[2] == given_signature >> 8 && bytes[3] == (given_signature & 0xFF);
}

} // namespace

bool meets_wishes(mc_member_record const& group, query_type const& query) noexcept
{
    auto const& wanted = query.record();
    if (query.mask().has(mtu_wish) && wanted.mtu_selector != selector::best) {
        auto const wish = wanted.group_mtu;
        if (!is_known(wish) || !meets(wanted.mtu_selector, group.group_mtu == wish, group.group_mtu < wish))
            return false;
    }
    if (query.mask().has(rate_wish) && wanted.rate_selector != selector::best) {
        auto const wish = wanted.rate;
        if (!is_known(wish) || !meets(wanted.rate_selector, group.rate == wish, is_slower(group.rate, wish)))
            return false;
    }
    if (query.mask().has(life_time_wish)) {
        auto const lives = group.packet_life_time;
        return chosen_life_time(lives, wanted.packet_life_time_selector, wanted.packet_life_time) == lives;
    }
    return true;
}

component_mask<mc_member_record> wishes_of(component_mask<mc_member_record> mask) noexcept
{
    component_mask<mc_member_record> found;
    for (auto const wish : {mtu_wish, rate_wish, life_time_wish})
        if (mask.has(wish))
            found = found | wish;
    return found | (mask & (components<&mc_member_record::mtu_selector> | components<&mc_member_record::rate_selector> |
                               components<&mc_member_record::packet_life_time_selector>));
}

bool is_multicast(gid const& name) noexcept
{
    return name.bytes()[0] == 0xFF;
}

bool is_group_name(gid const& name) noexcept
{
    constexpr std::uint8_t reserved_flags = 0xE0;
    auto const second = name.bytes()[1];
    return is_multicast(name) && (second & reserved_flags) == 0 && is_scope(second & 0xF);
}

bool is_known(path_rate rate) noexcept
{
    return chosen(path_rate::gbps_1200, selector::exactly, rate).has_value(); // the fastest can be any of them
}

bool is_known(mtu size) noexcept
{
    return chosen(mtu::bytes_4096, selector::exactly, size).has_value();
}

bool fits(mc_member_record const& group, query_type const& query, joining_port const& port) noexcept
{
    query_type const stated{query.record(), query.mask() & properties};
    bool const same_partition =
        !query.mask().has(components<&mc_member_record::p_key>) || p_keys_match(query.record().p_key, group.p_key);
    return stated.matches(group) && same_partition && port.longest >= group.group_mtu &&
           !is_slower(port.rate, group.rate) && holds_p_key(port.p_keys, group.p_key) && meets_wishes(group, query);
}

group_plan plan_group(
    query_type const& query, joining_port const& port, multicast_registry_options const& options) noexcept
{
    auto const& wanted = query.record();
    auto const mask = query.mask();
    if (!mask.has(needed_to_make))
        return {.status = mad_status::sa_insufficient_components};
    bool const makes = wanted.join_states.has(join_state::full_member) ||
                       (options.send_only_full_members && wanted.join_states.has(join_state::send_only_full_member));
    if (is_given_name(wanted.mgid))
        return {.status = mad_status::sa_invalid_gid};
    if (!makes || !holds_p_key(port.p_keys, wanted.p_key))
        return {.status = mad_status::sa_request_invalid};
    // Longer packets than 2048 bytes would keep out many who may want to join: only on demand.
    std::optional longest{std::min(port.longest, mtu::bytes_2048)};
    if (mask.has(mtu_wish))
        longest = chosen(port.longest, wanted.mtu_selector, wanted.group_mtu);
    std::optional rate{port.rate};
    if (mask.has(rate_wish))
        rate = chosen(port.rate, wanted.rate_selector, wanted.rate);
    std::optional lives{options.packet_life_time};
    if (mask.has(life_time_wish))
        lives = chosen_life_time(*lives, wanted.packet_life_time_selector, wanted.packet_life_time);
    if (!longest || !rate || !lives || !is_known(*longest) || !is_known(*rate)) // what no port could fit
        return {.status = mad_status::sa_request_invalid};
    group_plan plan;
    auto scope = static_cast<std::uint8_t>(multicast_scope::link_local);
    if (wanted.mgid != gid{})
        scope = wanted.mgid.bytes()[1] & 0xF; // whatever else the request says
    else if (mask.has(components<&mc_member_record::scope>))
        scope = static_cast<std::uint8_t>(wanted.scope);
    if (!is_scope(scope))
        return {.status = mad_status::sa_request_invalid};
    plan.scope = scope;
    auto& common = plan.common;
    common.mgid = wanted.mgid;
    common.q_key = wanted.q_key;
    common.mtu_selector = common.rate_selector = common.packet_life_time_selector = selector::exactly;
    common.group_mtu = *longest;
    common.traffic_class = wanted.traffic_class;
    common.p_key = as_full_member(wanted.p_key);
    common.rate = *rate;
    common.packet_life_time = *lives;
    common.service_level = wanted.service_level;
    common.flow_label = wanted.flow_label;
    if (mask.has(components<&mc_member_record::hop_limit>))
        common.hop_limit = wanted.hop_limit;
    common.scope = static_cast<multicast_scope>(scope);
    return plan;
}

} // namespace madrigal::engine
