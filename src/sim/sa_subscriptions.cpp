// InformInfo (IBA 13.4.8.3) and InformInfoRecord (15.2.5.12): who wants to be told of notices. Nobody is told: only the
// subscriptions are kept.
#include <sim/sa_memory.hpp>
#include <sim/sa_question.hpp>
#include <sim/sa_subnet.hpp>

#include <madrigal/wire/attributes/inform_info.hpp>
#include <madrigal/wire/attributes/inform_info_record.hpp>

#include <optional>

namespace madrigal::sim {
namespace {

/// Who asks: by the GID in the global header, else by LID.
std::optional<gid> asker(sa_question const& question)
{
    auto const& to = question.asked.to;
    if (to.has_grh)
        return to.grh.source;
    auto const port = port_with(question.fabric, lid{to.source_lid});
    return port ? std::optional{first_gid(port->end)} : std::nullopt;
}

} // namespace

sa_reply answer_inform_info(sa_question const& question)
{
    auto const asked = question.query<inform_info>().record();
    auto const outcome =
        question.memory.subscriptions.set(asked, asker(question), question.asked.to.source_qp, question.trusted);
    return outcome.ok() ? single(outcome.record) : refusal(outcome.status);
}

sa_reply answer_inform_info_records(sa_question const& question)
{
    record_list<inform_info_record> found{question};
    question.memory.subscriptions.find(question.query<inform_info_record>(), asker(question), question.trusted,
        [&](auto const& record) { return found.add(record); });
    return std::move(found).reply();
}

} // namespace madrigal::sim
