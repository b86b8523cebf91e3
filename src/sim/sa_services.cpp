// ServiceRecord (IBA 15.2.5.14): who offers a service, as it has been told.
#include <sim/p_keys.hpp>
#include <sim/sa_memory.hpp>
#include <sim/sa_question.hpp>
#include <sim/sa_subnet.hpp>

#include <madrigal/wire/attributes/service_record.hpp>

namespace madrigal::sim {
namespace {

sa_reply reply_of(engine::service_outcome const& outcome)
{
    return outcome.ok() ? single(outcome.record) : refusal(outcome.status);
}

engine::service_registry::p_key_table keys_of_port(core const& fabric, gid const& wanted)
{
    auto const port = port_with(fabric, wanted);
    if (!port)
        return std::nullopt;
    return p_keys_of(port->owner.ports[port->at.port]);
}

} // namespace

sa_reply answer_service_records(sa_question const& question)
{
    auto& services = question.memory.services;
    auto const now = question.fabric.now;
    services.expire(now);
    auto const query = question.query<service_record>();
    if (question.how() == method::set)
        return reply_of(services.set(query, keys_of_port(question.fabric, query.record().service_gid), now));
    if (question.how() == method::delete_)
        return reply_of(services.remove(query, question.trusted, now));
    record_list<service_record> found{question};
    services.find(query, question.trusted, now, [&](auto const& record) { return found.add(record); });
    return std::move(found).reply();
}

} // namespace madrigal::sim
