#include "pace.hpp"
#include "runtime_client.hpp"
#include "runtime_loops.hpp"

#include <boost/asio.hpp>

namespace madrigal::bench {
namespace {

using time_point = meter::clock::time_point;

template <class Question>
asio::awaitable<void> ask_once(
    agent const& agent, Question const& question, meter& meter, request_options how, time_point due)
{
    auto const answer = co_await agent.async_request(question.what, how, as_result);
    if (answer)
        (void)report(meter, due, {}, answer.value());
    else
        (void)report(meter, due, answer.error().code(), node_info{});
}

/// Starts what is due, then sleeps until the next is.
template <class Question>
asio::awaitable<void> generate(
    agent const& agent, Question const& question, meter& meter, load_options const& options, client_style style)
{
    auto const loop = co_await asio::this_coro::executor;
    asio::steady_timer timer{loop};
    auto const how = how_to_wait(options);
    for (pace pace{options.rate}; meter.running();) {
        for (auto const now = meter::clock::now(); pace.due() <= now; pace.advance()) {
            if (style == client_style::coroutines)
                asio::co_spawn(loop, ask_once(agent, question, meter, how, pace.due()), asio::detached);
            else
                agent.async_request(
                    question.what, how, [&meter, due = pace.due()](error_code code, auto const& answer) {
                        (void)report(meter, due, code, answer);
                    });
        }
        timer.expires_at(pace.due());
        co_await timer.async_wait(asio::use_awaitable);
    }
}

template <class Question>
result<measured> run(venue const& on, load_options const& options, client_style style)
{
    runtime_client client{on, options};
    BOOST_OUTCOME_TRY(client.opened());
    meter meter{options};
    Question const question{on};
    asio::co_spawn(client.loop, generate(client.agent(), question, meter, options, style), asio::detached);
    client.loop.run();
    return meter.outcome();
}

} // namespace

result<measured> runtime_open_loop(venue const& on, load_options const& options, client_style style)
{
    return on.echo ? run<typed_question>(on, options, style) : run<question_of_bytes>(on, options, style);
}

} // namespace madrigal::bench
