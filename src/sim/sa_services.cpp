// ServiceRecord (IBA 15.2.5.14): who offers a service, as it has been told.
#include <sim/p_keys.hpp>
#include <sim/sa_memory.hpp>
#include <sim/sa_question.hpp>
#include <sim/sa_subnet.hpp>

#include <madrigal/wire/attributes/service_record.hpp>

#include <algorithm>
#include <chrono>

namespace madrigal::sim {
namespace {

using query_type = record_query<service_record>;

/// What tells services apart.
constexpr auto identity = components<&service_record::service_id> | components<&service_record::service_gid> |
                          components<&service_record::service_p_key>;

bool is_same(service_record const& a, service_record const& b) noexcept
{
    return a.service_id == b.service_id && a.service_gid == b.service_gid && a.service_p_key == b.service_p_key;
}

/// As others see it: the key is between the service and subnet administration.
service_record shown(sa_question const& question, kept_service const& service)
{
    auto record = service.record;
    if (!question.trusted)
        record.service_key = {};
    if (service.lease_end != never)
        record.service_lease = static_cast<std::uint32_t>(
            std::chrono::ceil<std::chrono::seconds>(service.lease_end - question.fabric.now).count());
    return record;
}

sa_reply find(sa_question const& question, query_type const& query)
{
    record_list<service_record> found{question};
    for (auto const& one : question.memory.services) {
        auto const record = shown(question, one);
        if (query.matches(record) && !found.add(record))
            break;
    }
    return std::move(found).reply();
}

sa_reply offer(sa_question const& question, query_type const& query, std::vector<kept_service>::iterator present)
{
    constexpr auto needed =
        identity | components<&service_record::service_lease> | components<&service_record::service_name>;
    auto& all = question.memory.services;
    auto const& wanted = query.record();
    if (!query.mask().has(needed))
        return refusal(mad_status::sa_insufficient_components);
    auto const port = port_with(question.fabric, wanted.service_gid);
    if (!port)
        return refusal(mad_status::sa_invalid_gid);
    if (!holds_p_key(port->owner.ports[port->at.port], wanted.service_p_key))
        return refusal(mad_status::sa_request_invalid);
    if (present != all.end() && present->record.service_key != wanted.service_key)
        return refusal(mad_status::sa_request_invalid);
    if (present == all.end()) {
        if (all.size() == sa_memory::most_services)
            return refusal(mad_status::sa_no_resources);
        present = all.insert(all.end(), kept_service{});
    }
    present->record = wanted;
    present->lease_end = wanted.service_lease == indefinite_lease
                             ? never
                             : question.fabric.now + std::chrono::seconds{wanted.service_lease};
    return single(wanted);
}

sa_reply withdraw(sa_question const& question, query_type const& query, std::vector<kept_service>::iterator present)
{
    auto& all = question.memory.services;
    if (!query.mask().has(identity))
        return refusal(mad_status::sa_insufficient_components);
    if (present == all.end())
        return refusal(mad_status::sa_no_records);
    if (present->record.service_key != query.record().service_key && !question.trusted)
        return refusal(mad_status::sa_request_invalid);
    auto reply = single(shown(question, *present));
    all.erase(present);
    return reply;
}

} // namespace

sa_reply answer_service_records(sa_question const& question)
{
    auto& all = question.memory.services;
    std::erase_if(all, [&](kept_service const& one) { return one.lease_end <= question.fabric.now; });
    auto const query = question.query<service_record>();
    if (question.is_get() || question.how() == method::get_table)
        return find(question, query);
    auto const present =
        std::find_if(all.begin(), all.end(), [&](auto const& one) { return is_same(one.record, query.record()); });
    return question.how() == method::set ? offer(question, query, present) : withdraw(question, query, present);
}

} // namespace madrigal::sim
