#include <madrigal/engine/service_registry.hpp>

#include <madrigal/wire/p_key.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>

namespace madrigal::engine {
namespace {

constexpr auto identifying = components<&service_record::service_id> | components<&service_record::service_gid> |
                             components<&service_record::service_p_key>;
constexpr auto needed_to_set =
    identifying | components<&service_record::service_lease> | components<&service_record::service_name>;

service_outcome refused(std::uint16_t status)
{
    service_outcome outcome;
    outcome.status = status;
    return outcome;
}

} // namespace

service_outcome service_registry::set(query_type const& query, p_key_table p_keys, time_point now, gid const& asker)
{
    expire(now);
    if (!query.mask().has(needed_to_set))
        return refused(mad_status::sa_insufficient_components);
    auto const& wanted = query.record();
    if (!p_keys || wanted.service_gid == gid{} || wanted.service_gid.bytes()[0] == 0xFF)
        return refused(mad_status::sa_invalid_gid);
    if (!holds_p_key(*p_keys, wanted.service_p_key))
        return refused(mad_status::sa_request_invalid);
    identity const name{wanted};
    auto place = services_.find(name);
    if (place == services_.end()) {
        auto const& whose = asker != gid{} ? asker : wanted.service_gid;
        auto const share = services_of_.find(whose);
        if (services_.size() >= options_.most_services ||
            (share != services_of_.end() ? share->second : 0) >= options_.most_of_one)
            return refused(mad_status::sa_no_resources);
        place = services_.emplace(name, kept_service{}).first;
        place->second.asker = whose;
        ++services_of_[whose];
    } else {
        if (place->second.record.service_key != wanted.service_key)
            return refused(mad_status::sa_request_invalid);
        leases_.erase({place->second.lease_end, name});
    }
    auto& service = place->second;
    service.record = wanted;
    service.lease_end =
        wanted.service_lease == indefinite_lease ? never : now + std::chrono::seconds{wanted.service_lease};
    if (service.lease_end != never)
        leases_.emplace(service.lease_end, name);
    service_outcome outcome;
    outcome.record = wanted;
    return outcome;
}

service_outcome service_registry::remove(query_type const& query, bool trusted, time_point now)
{
    expire(now);
    if (!query.mask().has(identifying))
        return refused(mad_status::sa_insufficient_components);
    auto const place = services_.find(identity{query.record()});
    if (place == services_.end())
        return refused(mad_status::sa_no_records);
    if (place->second.record.service_key != query.record().service_key && !trusted)
        return refused(mad_status::sa_request_invalid);
    service_outcome outcome;
    outcome.record = shown(place->second, trusted, now);
    forget(place);
    return outcome;
}

std::size_t service_registry::remove_port(gid const& port)
{
    return remove_ports([&](gid const& one) { return one == port; });
}

std::size_t service_registry::remove_ports(std::function<bool(gid const& port)> const& gone)
{
    auto const before = services_.size();
    for (auto place = services_.begin(); place != services_.end();)
        place = gone(place->first.port) ? forget(place) : std::next(place);
    return before - services_.size();
}

bool service_registry::find(
    query_type const& query, bool trusted, time_point now, std::function<bool(service_record const&)> const& take) const
{
    for (auto const& [name, service] : services_) {
        if (service.lease_end <= now)
            continue;
        auto const record = shown(service, trusted, now);
        if (query.matches(record) && !take(record))
            return false;
    }
    return true;
}

time_point service_registry::deadline() const noexcept
{
    return leases_.empty() ? never : leases_.begin()->first;
}

std::size_t service_registry::expire(time_point now)
{
    auto const before = services_.size();
    while (deadline() <= now && !leases_.empty())
        forget(services_.find(leases_.begin()->second));
    return before - services_.size();
}

/// As others see it: the key is between the service and subnet administration.
service_record service_registry::shown(kept_service const& service, bool trusted, time_point now)
{
    auto record = service.record;
    if (!trusted)
        record.service_key = {};
    if (service.lease_end != never)
        record.service_lease =
            static_cast<std::uint32_t>(std::chrono::ceil<std::chrono::seconds>(service.lease_end - now).count());
    return record;
}

service_registry::service_place service_registry::forget(service_place place)
{
    leases_.erase({place->second.lease_end, place->first});
    if (auto const share = services_of_.find(place->second.asker); --share->second == 0)
        services_of_.erase(share);
    return services_.erase(place);
}

} // namespace madrigal::engine
