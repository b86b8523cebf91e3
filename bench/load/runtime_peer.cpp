#include "peers.hpp"

#include <madrigal/madrigal.hpp>

#include <boost/asio.hpp>

#include <deque>

namespace madrigal::bench {
namespace {

/// Asks the venue's question as users do: typed over the socket, where it is a Get(NodeInfo); as bytes on a port.
struct typed_question {
    query<node_info> what;
    explicit typed_question(venue const& on) noexcept : what{get<node_info>(on.question.to)} {}
};
struct question_of_bytes {
    raw_mad what;
    explicit question_of_bytes(venue const& on) noexcept : what{on.question} {}
};

error_code outcome_of(node_info const&) noexcept
{
    return {};
}
/// The kernel answers with a status when nobody serves the class any more.
error_code outcome_of(received_mad const& answer) noexcept
{
    return make_mad_status(answer.mad().mgmt_class(), answer.mad().outcome());
}

/// Takes the end of a request to the meter; the time now.
template <class Answer>
meter::clock::time_point report(meter& to, meter::clock::time_point begun, error_code code, Answer const& answer)
{
    if (!code)
        code = outcome_of(answer);
    if (!code)
        return to.on_answer(begun);
    if (code == errc::timeout)
        return to.on_loss();
    to.fail(code);
    return begun;
}

template <class Question>
asio::awaitable<void> ask_again_and_again(
    agent const& agent, Question const& question, meter& meter, request_options const& how)
{
    auto begun = meter::clock::now();
    while (meter.running()) {
        auto const answer = co_await agent.async_request(question.what, how, as_result);
        if (answer)
            begun = report(meter, begun, {}, answer.value());
        else
            begun = report(meter, begun, answer.error().code(), node_info{});
    }
}

template <class Question>
class handler_client {
public:
    handler_client(agent const& agent, Question const& question, meter& meter, request_options const& how) noexcept
        : agent_{agent}, question_{question}, meter_{meter}, how_{how}
    {}

    void ask()
    {
        agent_.async_request(question_.what, how_, [this](error_code code, auto const& answer) {
            begun_ = report(meter_, begun_, code, answer);
            if (meter_.running())
                ask();
        });
    }

private:
    agent const& agent_;
    Question const& question_;
    meter& meter_;
    request_options how_;
    meter::clock::time_point begun_ = meter::clock::now();
};

template <class Question>
result<measured> run_clients(venue const& on, load_options const& options, bool coroutines)
{
    asio::io_context loop{1};
    reactor const reactor{loop, *on.host};
    BOOST_OUTCOME_TRY(auto const port, reactor.open({.ca = on.port.ca_name, .port = on.port.number}));
    BOOST_OUTCOME_TRY(auto const agent, port.register_agent(on.client, {.window = {.size = options.window}}));
    meter meter{options};
    request_options const how{.timeout = options.timeout, .retries = options.retries};
    Question const question{on};
    std::deque<handler_client<Question>> clients;
    for (unsigned i = 0; i != options.window; ++i) {
        if (coroutines)
            asio::co_spawn(loop, ask_again_and_again(agent, question, meter, how), asio::detached);
        else
            clients.emplace_back(agent, question, meter, how).ask();
    }
    loop.run();
    return meter.outcome();
}

result<measured> request(venue const& on, load_options const& options, bool coroutines)
{
    return on.echo ? run_clients<typed_question>(on, options, coroutines)
                   : run_clients<question_of_bytes>(on, options, coroutines);
}

std::optional<std::string> never(venue const&)
{
    return std::nullopt;
}

} // namespace

peer coroutine_peer() noexcept
{
    return {.name = "coroutines",
        .is_runtime = true,
        .absent = never,
        .request = [](venue const& on, load_options const& options) { return request(on, options, true); }};
}

peer handler_peer() noexcept
{
    return {.name = "handlers",
        .is_runtime = true,
        .absent = never,
        .request = [](venue const& on, load_options const& options) { return request(on, options, false); }};
}

} // namespace madrigal::bench
