#include "runtime_client.hpp"
#include "runtime_loops.hpp"

#include <boost/asio.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <semaphore>
#include <thread>

namespace madrigal::bench {
namespace {

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

/// A thread that keeps its share of the window full, refilling it whenever half of it has become free. Answers are
/// taken on the loop.
template <class Question>
class producer {
public:
    producer(agent const& agent, Question const& question, meter& meter, request_options const& how, unsigned window)
        : agent_{agent},
          question_{question},
          meter_{meter},
          how_{how},
          refill_{std::max<std::ptrdiff_t>(window / 2, 1)},
          free_{static_cast<std::ptrdiff_t>(window)}
    {}

    void run()
    {
        for (;;) {
            free_.acquire();
            if (over_)
                return;
            agent_.async_request(
                question_.what, how_, [this, begun = meter::clock::now()](error_code code, auto const& answer) {
                    (void)report(meter_, begun, code, answer);
                    if (!meter_.running())
                        over_ = true;
                    if (++ended_ == refill_ || over_) {
                        free_.release(ended_);
                        ended_ = 0;
                    }
                });
        }
    }

private:
    agent const& agent_;
    Question const& question_;
    meter& meter_;
    request_options how_;
    std::ptrdiff_t refill_;
    std::ptrdiff_t ended_ = 0; // the loop's
    std::counting_semaphore<> free_;
    std::atomic<bool> over_{false};
};

template <class Question>
result<measured> clients_on_loop(venue const& on, load_options const& options, client_style style)
{
    runtime_client client{on, options};
    BOOST_OUTCOME_TRY(client.opened());
    meter meter{options};
    Question const question{on};
    auto const how = how_to_wait(options);
    std::deque<handler_client<Question>> clients;
    for (unsigned i = 0; i != options.window; ++i) {
        if (style == client_style::coroutines)
            asio::co_spawn(client.loop, ask_again_and_again(client.agent(), question, meter, how), asio::detached);
        else
            clients.emplace_back(client.agent(), question, meter, how);
    }
    // A coroutine's frames are its caller's, but come with its first step.
    if (style == client_style::handlers)
        meter.weigh_from_here();
    for (auto& one : clients)
        one.ask();
    client.loop.run();
    return meter.outcome();
}

template <class Question>
result<measured> producers(venue const& on, load_options const& options)
{
    runtime_client client{on, options};
    BOOST_OUTCOME_TRY(client.opened());
    meter meter{options};
    Question const question{on};
    auto const how = how_to_wait(options);
    std::deque<producer<Question>> all;
    std::atomic<unsigned> at_work{options.producers};
    auto work = asio::make_work_guard(client.loop);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i != options.producers; ++i) {
        auto const share = options.window / options.producers + (i < options.window % options.producers ? 1 : 0);
        auto& one = all.emplace_back(client.agent(), question, meter, how, share);
        threads.emplace_back([&] {
            one.run();
            if (--at_work == 0)
                asio::post(client.loop, [&] { work.reset(); });
        });
    }
    client.loop.run();
    for (auto& one : threads)
        one.join();
    return meter.outcome();
}

} // namespace

result<measured> runtime_closed_loop(venue const& on, load_options const& options, client_style style)
{
    if (options.producers != 0)
        return on.echo ? producers<typed_question>(on, options) : producers<question_of_bytes>(on, options);
    return on.echo ? clients_on_loop<typed_question>(on, options, style)
                   : clients_on_loop<question_of_bytes>(on, options, style);
}

} // namespace madrigal::bench
