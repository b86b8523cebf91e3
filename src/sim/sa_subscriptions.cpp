// InformInfo (IBA 13.4.8.3) and InformInfoRecord (15.2.5.12): who wants to be told of notices. Nobody is told: only the
// subscriptions are kept.
#include <sim/sa_memory.hpp>
#include <sim/sa_question.hpp>
#include <sim/sa_subnet.hpp>

#include <madrigal/wire/attributes/inform_info.hpp>
#include <madrigal/wire/attributes/inform_info_record.hpp>

#include <algorithm>
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

bool is_possible(inform_info const& wanted) noexcept
{
    if (wanted.subscribe > 1 || wanted.is_generic > 1)
        return false;
    bool const by_lid = wanted.source_gid == gid{};
    return !by_lid || wanted.lid_range_begin == all_lids || wanted.lid_range_end == lid{} ||
           wanted.lid_range_begin <= wanted.lid_range_end;
}

/// The lowest number that none of this subscriber's has.
std::uint16_t free_number(std::vector<subscription> const& all, gid const& subscriber)
{
    std::vector<std::uint16_t> taken;
    for (auto const& one : all)
        if (one.subscriber == subscriber)
            taken.push_back(one.number);
    std::sort(taken.begin(), taken.end());
    std::uint16_t number = 0;
    for (auto const one : taken)
        if (one == number)
            ++number;
    return number;
}

} // namespace

sa_reply answer_inform_info(sa_question const& question)
{
    auto const asked = question.query<inform_info>().record();
    auto const who = asker(question);
    if (!who || !is_possible(asked))
        return refusal(mad_status::sa_request_invalid);
    // To end a subscription the queue pair may be named that began it; otherwise it is the asker's.
    auto const qpn = asked.subscribe == 0 && asked.qpn != 0 ? asked.qpn : question.asked.to.source_qp;
    auto wanted = asked;
    wanted.subscribe = 1;
    wanted.qpn = 0;
    wanted.resp_time_value = 0;
    auto& all = question.memory.subscriptions;
    auto const present = std::find_if(all.begin(), all.end(),
        [&](auto const& one) { return one.subscriber == *who && one.qpn == qpn && one.wanted == wanted; });
    if (asked.subscribe == 0) {
        if (present == all.end())
            return refusal(mad_status::sa_request_invalid);
        all.erase(present);
    } else if (present == all.end()) {
        if (all.size() == sa_memory::most_subscriptions)
            return refusal(mad_status::sa_no_resources);
        all.push_back({*who, qpn, free_number(all, *who), wanted});
    }
    return single(asked);
}

sa_reply answer_inform_info_records(sa_question const& question)
{
    auto const query = question.query<inform_info_record>();
    auto const who = asker(question);
    record_list<inform_info_record> found{question};
    for (auto const& one : question.memory.subscriptions) {
        if (!question.trusted && one.subscriber != who) // others' are for the trusted only
            continue;
        inform_info_record record;
        record.subscriber_gid = one.subscriber;
        record.enumeration = one.number;
        record.info = one.wanted;
        record.info.qpn = one.qpn;
        if (query.matches(record) && !found.add(record))
            break;
    }
    return std::move(found).reply();
}

} // namespace madrigal::sim
