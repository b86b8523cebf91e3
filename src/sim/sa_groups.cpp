// MCMemberRecord (IBA 15.2.5.17): multicast groups and who has joined them. Groups are kept and nothing more: no switch
// gets multicast forwarding entries for them.
#include <sim/p_keys.hpp>
#include <sim/sa_memory.hpp>
#include <sim/sa_question.hpp>
#include <sim/sa_subnet.hpp>

#include <madrigal/wire/attributes/mc_member_record.hpp>
#include <madrigal/wire/path_rates.hpp>

namespace madrigal::sim {
namespace {

/// What the port's own link can carry; what a switch's port 0 can.
engine::joining_port ability_of(subnet_port const& one)
{
    auto const& own = one.owner.ports[one.at.port];
    engine::joining_port able;
    able.p_keys = p_keys_of(own);
    if (one.at.port == 0) {
        able.longest = mtu::bytes_4096;
        able.rate = rate_of(link_width::x4, one.owner.fastest);
    } else {
        able.longest = own.neighbor_mtu;
        able.rate = rate_of(own.active_width(), own.active_speed());
    }
    return able;
}

sa_reply reply_of(engine::membership_outcome const& outcome)
{
    return outcome.ok() ? single(outcome.record) : refusal(outcome.status);
}

sa_reply join(sa_question const& question, record_query<mc_member_record> const& query)
{
    auto& groups = question.memory.groups;
    auto const port = port_with(question.fabric, query.record().port_gid);
    if (!port)
        return reply_of(groups.join(query, nullptr));
    auto const able = ability_of(*port);
    return reply_of(groups.join(query, &able));
}

} // namespace

sa_reply answer_member_records(sa_question const& question)
{
    auto const query = question.query<mc_member_record>();
    if (question.how() == method::set)
        return join(question, query);
    if (question.how() == method::delete_)
        return reply_of(question.memory.groups.leave(query));
    record_list<mc_member_record> found{question};
    question.memory.groups.find(query, question.trusted, [&](auto const& record) { return found.add(record); });
    return std::move(found).reply();
}

} // namespace madrigal::sim
