#include <madrigal/engine/subscription_registry.hpp>

#include <algorithm>
#include <iterator>

namespace madrigal::engine {
namespace {

subscription_outcome refused(std::uint16_t status)
{
    subscription_outcome outcome;
    outcome.status = status;
    return outcome;
}

bool is_possible(inform_info const& asked) noexcept
{
    if (asked.subscribe > 1 || asked.is_generic > 1)
        return false;
    bool const by_lid = asked.source_gid == gid{};
    return !by_lid || asked.lid_range_begin == all_lids || asked.lid_range_end == lid{} ||
           asked.lid_range_begin <= asked.lid_range_end;
}

/// Port GIDs are those of one port.
bool is_port(gid const& name) noexcept
{
    return name != gid{} && name.bytes()[0] != 0xFF;
}

bool is_from(inform_info const& wanted, notice_report const& about) noexcept
{
    if (wanted.source_gid != gid{})
        return wanted.source_gid == about.issuer_gid;
    if (wanted.lid_range_begin == all_lids)
        return true;
    auto const end = wanted.lid_range_end == lid{} ? wanted.lid_range_begin : wanted.lid_range_end;
    return wanted.lid_range_begin <= about.issuer_lid && about.issuer_lid <= end;
}

/// The lowest number that is not among these.
std::uint16_t free_number(std::vector<std::uint16_t> const& taken) noexcept
{
    std::uint16_t number = 0;
    for (auto const one : taken) {
        if (one != number)
            break;
        ++number;
    }
    return number;
}

} // namespace

bool is_wanted(inform_info const& wanted, notice_report const& about) noexcept
{
    if (about.type == notice_type::empty || (wanted.is_generic != 0) != about.is_generic)
        return false;
    if (wanted.type != all_notices && wanted.type != static_cast<std::uint16_t>(about.type))
        return false;
    if (wanted.trap_number != all_notices && wanted.trap_number != about.trap_number)
        return false;
    if (wanted.producer_type != all_producers && wanted.producer_type != about.producer_type)
        return false;
    return is_from(wanted, about);
}

subscription_outcome subscription_registry::set(
    inform_info const& asked, std::optional<gid> const& subscriber, std::uint32_t source_qp, bool trusted)
{
    if (!subscriber || !is_port(*subscriber) || !is_possible(asked))
        return refused(mad_status::sa_request_invalid);
    if (!trusted && is_for_trusted(asked.is_generic != 0, asked.trap_number))
        return refused(mad_status::sa_request_denied);
    // To end a subscription the queue pair may be named that began it; otherwise it is the asker's.
    auto const qpn = asked.subscribe == 0 && asked.qpn != 0 ? asked.qpn : source_qp;
    auto wanted = asked;
    wanted.subscribe = 1;
    wanted.qpn = 0;
    wanted.resp_time_value = 0;
    subscription_outcome outcome;
    outcome.record = asked;
    address const at{*subscriber, qpn};
    auto const place = by_address_.find(at);
    std::size_t present = 0; // among those of the address
    if (place != by_address_.end())
        present = static_cast<std::size_t>(std::find_if(place->second.begin(), place->second.end(), [&](kept one) {
            return one->wanted == wanted;
        }) - place->second.begin());
    bool const is_there = place != by_address_.end() && present != place->second.size();
    if (asked.subscribe == 0) {
        if (!is_there)
            return refused(mad_status::sa_request_invalid);
        auto& kept_there = place->second;
        all_.erase(kept_there[present]);
        kept_there.erase(kept_there.begin() + static_cast<std::ptrdiff_t>(present));
        if (kept_there.empty())
            by_address_.erase(place);
        outcome.changed = true;
    } else if (!is_there) {
        auto const taken = numbers_of(*subscriber);
        constexpr std::size_t most_numbers = 0x1'0000;
        if (all_.size() >= options_.most_subscriptions || taken.size() >= std::min(options_.most_of_one, most_numbers))
            return refused(mad_status::sa_no_resources);
        all_.push_back({*subscriber, qpn, free_number(taken), wanted, trusted});
        by_address_[at].push_back(std::prev(all_.end()));
        outcome.changed = true;
    } else if (trusted) {
        place->second[present]->trusted = true;
    }
    return outcome;
}

std::size_t subscription_registry::remove_port(gid const& port)
{
    return remove_ports([&](gid const& one) { return one == port; });
}

std::size_t subscription_registry::remove_ports(std::function<bool(gid const& port)> const& gone)
{
    auto const before = all_.size();
    std::erase_if(by_address_, [&](auto const& one) {
        auto const& [at, theirs] = one;
        if (!gone(at.first))
            return false;
        for (auto const each : theirs)
            all_.erase(each);
        return true;
    });
    return before - all_.size();
}

bool subscription_registry::find(query_type const& query, std::optional<gid> const& asker, bool trusted,
    std::function<bool(inform_info_record const&)> const& take) const
{
    for (auto const& one : all_) {
        if (!trusted && one.subscriber != asker)
            continue;
        inform_info_record record;
        record.subscriber_gid = one.subscriber;
        record.enumeration = one.number;
        record.info = one.wanted;
        record.info.qpn = trusted ? one.qpn : 0;
        if (query.matches(record) && !take(record))
            return false;
    }
    return true;
}

void subscription_registry::for_each_subscriber(
    notice_report const& about, std::function<void(subscription const&)> const& tell) const
{
    bool const for_trusted = is_for_trusted(about.is_generic, about.trap_number);
    for (auto const& [at, theirs] : by_address_) {
        auto const first = std::find_if(theirs.begin(), theirs.end(),
            [&](kept one) { return (one->trusted || !for_trusted) && is_wanted(one->wanted, about); });
        if (first != theirs.end())
            tell(**first);
    }
}

std::vector<std::uint16_t> subscription_registry::numbers_of(gid const& subscriber) const
{
    std::vector<std::uint16_t> taken;
    for (auto place = by_address_.lower_bound({subscriber, 0});
         place != by_address_.end() && place->first.first == subscriber; ++place)
        for (auto const one : place->second)
            taken.push_back(one->number);
    std::sort(taken.begin(), taken.end());
    return taken;
}

} // namespace madrigal::engine
