// MCMemberRecord (IBA 15.2.5.17): multicast groups and who has joined them. Groups are kept and nothing more: no switch
// gets multicast forwarding entries for them.
#include <madrigal/wire/path_rates.hpp>
#include <sim/p_keys.hpp>
#include <sim/sa_memory.hpp>
#include <sim/sa_question.hpp>
#include <sim/sa_subnet.hpp>

#include <madrigal/wire/attributes/mc_member_record.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace madrigal::sim {
namespace {

using query_type = record_query<mc_member_record>;

/// The LIDs of groups (IBA 4.1.3).
constexpr std::uint16_t first_multicast_lid = 0xC000;
/// Scope and flags of GIDs that are given to groups without one: link-local and transient.
constexpr std::uint64_t given_prefix = 0xFF12'A01B'FE80'0000;
constexpr std::uint8_t life_time = 18;

bool is_multicast(gid const& name) noexcept
{
    return name.bytes()[0] == 0xFF;
}

/// Q_Key, P_Key and so on, which a request may state and a group has.
constexpr auto properties = components<&mc_member_record::q_key> | components<&mc_member_record::mlid> |
                            components<&mc_member_record::traffic_class> | components<&mc_member_record::p_key> |
                            components<&mc_member_record::service_level> | components<&mc_member_record::flow_label> |
                            components<&mc_member_record::hop_limit> | components<&mc_member_record::scope>;

class join {
public:
    join(sa_question const& question, query_type const& query)
        : question_{question}, query_{query}, wanted_{query.record()}, memory_{question.memory}
    {}

    sa_reply reply()
    {
        constexpr auto needed = components<&mc_member_record::mgid> | components<&mc_member_record::port_gid> |
                                components<&mc_member_record::join_states>;
        if (!query_.mask().has(needed))
            return refusal(mad_status::sa_insufficient_components);
        if (auto const found = port_with(question_.fabric, wanted_.port_gid))
            port_.emplace(*found);
        bool const unnamed = wanted_.mgid == gid{};
        if (!port_ || (!unnamed && !is_multicast(wanted_.mgid)))
            return refusal(mad_status::sa_invalid_gid);
        if (wanted_.join_states.empty())
            return refusal(mad_status::sa_request_invalid);
        auto& groups = memory_.groups;
        auto group = unnamed ? groups.end() : std::find_if(groups.begin(), groups.end(), [&](auto const& one) {
            return one.common.mgid == wanted_.mgid;
        });
        if (memory_.members == sa_memory::most_members)
            return refusal(mad_status::sa_no_resources);
        if (group == groups.end()) {
            if (auto const refused = create())
                return refusal(*refused);
            group = std::prev(groups.end());
        } else if (!fits(group->common)) {
            return refusal(mad_status::sa_request_invalid);
        }
        return single(enter(*group));
    }

private:
    template <auto Member>
    [[nodiscard]] bool has() const noexcept
    {
        return query_.mask().has(components<Member>);
    }
    [[nodiscard]] port const& own_port() const noexcept { return port_->owner.ports[port_->at.port]; }
    /// The most that the member's own link can carry.
    [[nodiscard]] mtu own_mtu() const noexcept
    {
        return port_->at.port == 0 ? mtu::bytes_4096 : own_port().neighbor_mtu;
    }
    [[nodiscard]] path_rate own_rate() const noexcept
    {
        return port_->at.port == 0 ? rate_of(link_width::x4, port_->owner.fastest)
                                   : rate_of(own_port().active_width(), own_port().active_speed());
    }

    [[nodiscard]] bool fits(mc_member_record const& group) const
    {
        query_type const stated{wanted_, query_.mask() & properties};
        if (!stated.matches(group) || own_mtu() < group.group_mtu || is_slower(own_rate(), group.rate) ||
            !holds_p_key(own_port(), group.p_key))
            return false;
        auto const is = [](auto const& result, auto value) { return result && *result == value; };
        if (has<&mc_member_record::mtu_selector>() && has<&mc_member_record::group_mtu>() &&
            wanted_.mtu_selector != selector::best &&
            !meets(wanted_.mtu_selector, group.group_mtu == wanted_.group_mtu, group.group_mtu < wanted_.group_mtu))
            return false;
        if (has<&mc_member_record::rate_selector>() && has<&mc_member_record::rate>() &&
            wanted_.rate_selector != selector::best &&
            !meets(wanted_.rate_selector, group.rate == wanted_.rate, is_slower(group.rate, wanted_.rate)))
            return false;
        if (has<&mc_member_record::packet_life_time_selector>() && has<&mc_member_record::packet_life_time>())
            return is(
                chosen_life_time(group.packet_life_time, wanted_.packet_life_time_selector, wanted_.packet_life_time),
                group.packet_life_time);
        return true;
    }
    /// A group has what it has: that cannot be lowered for one member.
    [[nodiscard]] static bool meets(selector how, bool equal, bool less) noexcept
    {
        switch (how) {
        case selector::greater: return !equal && !less;
        case selector::less: return less;
        default: return equal;
        }
    }

    /// A new group behind the others, or the status that refuses it.
    [[nodiscard]] std::optional<std::uint16_t> create()
    {
        constexpr auto needed = components<&mc_member_record::p_key> | components<&mc_member_record::q_key> |
                                components<&mc_member_record::service_level> |
                                components<&mc_member_record::flow_label> |
                                components<&mc_member_record::traffic_class>;
        if (!query_.mask().has(needed))
            return mad_status::sa_insufficient_components;
        if (!wanted_.join_states.has(join_state::full_member) || !holds_p_key(own_port(), wanted_.p_key))
            return mad_status::sa_request_invalid;
        std::optional packet{std::min(own_mtu(), mtu::bytes_2048)};
        if (has<&mc_member_record::mtu_selector>() && has<&mc_member_record::group_mtu>())
            packet = chosen(own_mtu(), wanted_.mtu_selector, wanted_.group_mtu);
        std::optional rate{own_rate()};
        if (has<&mc_member_record::rate_selector>() && has<&mc_member_record::rate>())
            rate = chosen(*rate, wanted_.rate_selector, wanted_.rate);
        std::optional<std::uint8_t> lives{life_time};
        if (has<&mc_member_record::packet_life_time_selector>() && has<&mc_member_record::packet_life_time>())
            lives = chosen_life_time(*lives, wanted_.packet_life_time_selector, wanted_.packet_life_time);
        if (!packet || !rate || !lives)
            return mad_status::sa_request_invalid;
        if (memory_.groups.size() == sa_memory::most_groups)
            return mad_status::sa_no_resources;
        auto common = wanted_;
        common.mlid = free_lid();
        if (common.mgid == gid{})
            common.mgid = gid{given_prefix, guid{common.mlid.value()}};
        common.scope = static_cast<multicast_scope>(common.mgid.bytes()[1] & 0xF);
        common.mtu_selector = common.rate_selector = common.packet_life_time_selector = selector::exactly;
        common.group_mtu = *packet;
        common.rate = *rate;
        common.packet_life_time = *lives;
        common.port_gid = {};
        common.join_states = {};
        common.proxy_join = false;
        memory_.groups.push_back({common, {}});
        return std::nullopt;
    }

    [[nodiscard]] lid free_lid() const
    {
        std::vector<bool> taken(sa_memory::most_groups + 1);
        for (auto const& one : memory_.groups)
            taken[one.common.mlid.value() - first_multicast_lid] = true;
        auto const place = std::find(taken.begin(), taken.end(), false) - taken.begin();
        return lid{static_cast<std::uint16_t>(first_multicast_lid + place)};
    }

    mc_member_record enter(multicast_group& group)
    {
        auto member = std::find_if(group.members.begin(), group.members.end(),
            [&](group_member const& one) { return one.port == wanted_.port_gid; });
        if (member == group.members.end()) {
            member = group.members.insert(group.members.end(), group_member{wanted_.port_gid, {}});
            ++memory_.members;
        }
        member->states = flags<join_state>::from_value(
            static_cast<std::uint8_t>(member->states.value() | wanted_.join_states.value()));
        auto record = group.common;
        record.port_gid = member->port;
        record.join_states = member->states;
        return record;
    }

    sa_question const& question_;
    query_type const& query_;
    mc_member_record const& wanted_;
    sa_memory& memory_;
    std::optional<subnet_port> port_;
};

sa_reply leave(sa_question const& question, query_type const& query)
{
    constexpr auto needed = components<&mc_member_record::mgid> | components<&mc_member_record::port_gid> |
                            components<&mc_member_record::join_states>;
    if (!query.mask().has(needed))
        return refusal(mad_status::sa_insufficient_components);
    auto const& wanted = query.record();
    auto& memory = question.memory;
    auto const group = std::find_if(
        memory.groups.begin(), memory.groups.end(), [&](auto const& one) { return one.common.mgid == wanted.mgid; });
    if (group == memory.groups.end())
        return refusal(mad_status::sa_request_invalid);
    auto const member = std::find_if(
        group->members.begin(), group->members.end(), [&](auto const& one) { return one.port == wanted.port_gid; });
    auto const states = wanted.join_states.value();
    if (member == group->members.end() || states == 0 || (member->states.value() & states) != states)
        return refusal(mad_status::sa_request_invalid);
    member->states = flags<join_state>::from_value(static_cast<std::uint8_t>(member->states.value() & ~states));
    auto record = group->common;
    record.port_gid = member->port;
    record.join_states = member->states;
    if (member->states.empty()) {
        group->members.erase(member);
        --memory.members;
    }
    // A group lasts as long as it has a full member.
    auto const is_full = [](group_member const& one) { return one.states.has(join_state::full_member); };
    if (std::none_of(group->members.begin(), group->members.end(), is_full)) {
        memory.members -= group->members.size();
        memory.groups.erase(group);
    }
    return single(record);
}

/// Each member for the trusted; for others each group, without who is in it.
sa_reply find(sa_question const& question, query_type const& query)
{
    constexpr auto wishes = components<&mc_member_record::mtu_selector> | components<&mc_member_record::rate_selector> |
                            components<&mc_member_record::packet_life_time_selector>;
    constexpr auto membership = components<&mc_member_record::port_gid> | components<&mc_member_record::join_states> |
                                components<&mc_member_record::proxy_join>;
    // Of what has a selector, records say it exactly; a query with another one is about the values alone.
    auto const ignored = wishes.value() | (question.trusted ? 0 : membership.value());
    query_type const values{
        query.record(), component_mask<mc_member_record>::from_value(query.mask().value() & ~ignored)};
    bool const of_port = query.mask().has(components<&mc_member_record::port_gid>);
    record_list<mc_member_record> found{question};
    auto const take = [&](mc_member_record const& record) { return !values.matches(record) || found.add(record); };
    for (auto const& group : question.memory.groups) {
        if (!question.trusted) {
            bool const counts = !of_port || std::any_of(group.members.begin(), group.members.end(),
                                                [&](auto const& one) { return one.port == query.record().port_gid; });
            if (counts && !take(group.common))
                break;
            continue;
        }
        for (auto const& member : group.members) {
            auto record = group.common;
            record.port_gid = member.port;
            record.join_states = member.states;
            if (!take(record))
                return std::move(found).reply();
        }
    }
    return std::move(found).reply();
}

} // namespace

sa_reply answer_member_records(sa_question const& question)
{
    auto const query = question.query<mc_member_record>();
    switch (question.how()) {
    case method::set: return join{question, query}.reply();
    case method::delete_: return leave(question, query);
    default: return find(question, query);
    }
}

} // namespace madrigal::sim
