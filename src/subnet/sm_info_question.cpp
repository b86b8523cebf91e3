#include "subnet/sm_info_question.hpp"

#include "subnet/smp_answer.hpp"

#include <madrigal/wire/smp.hpp>
#include <madrigal/wire/status.hpp>

namespace madrigal::detail {

raw_mad sm_info_question(smp_client const& by, destination const& whom, sm_info const& own)
{
    raw_mad question{without_empty_route(whom)};
    auto const& to = question.to;
    smp_request const what{.attribute_id = attribute_id::sm_info, .m_key = by.keys().find(whom)};
    if (to.type() == destination::kind::directed_route)
        build_directed_route_smp(question.bytes, what, to.route(), to.directed_from(), to.directed_to());
    else
        build_lid_routed_smp(question.bytes, what);
    (void)mutable_mad_view{question.bytes}.set_attribute(own);
    return question;
}

result<sm_info> sm_info_answer(received_mad const& answer)
{
    auto const mad = answer.mad();
    if (mad.outcome() != mad_status::ok)
        return error{make_mad_status(mad.mgmt_class(), mad.outcome())};
    if (auto const said = mad.attribute<sm_info>())
        return *said;
    return error{errc::malformed_answer};
}

asio::awaitable<result<sm_info>> ask_sm_info(smp_client const& by, destination whom, sm_info own)
{
    auto const question = sm_info_question(by, whom, own);
    auto const answer = co_await by.over().async_request(question, request_options{}, as_result);
    auto said = answer ? sm_info_answer(answer.value()) : result<sm_info>{answer.error()};
    if (!said)
        co_return explain_smp(said.error().code(), whom,
            smp_question{method::get, attribute_id::sm_info, 0, m_key_of(mad_view{question.bytes})});
    co_return said;
}

} // namespace madrigal::detail
