#include "pace.hpp"
#include "runtime_client.hpp"
#include "runtime_loops.hpp"

#include <boost/asio.hpp>

namespace madrigal::bench {
namespace {

using time_point = meter::clock::time_point;

/// Starts requests when they are due, looking at the clock between turns of the loop: a timer for each would be
/// measured as well. Where the window is full, what is due waits for a place.
template <class Question>
class generator {
public:
    generator(
        runtime_client& client, Question const& question, meter& meter, load_options const& options, client_style style)
        : agent_{client.agent()},
          question_{question},
          meter_{meter},
          how_{how_to_wait(options)},
          window_{options.window},
          style_{style},
          pace_{options.rate},
          loop_{client.loop}
    {}

    void start()
    {
        if (!meter_.running())
            return;
        for (auto const now = meter::clock::now(); outstanding_ != window_ && pace_.due() <= now; pace_.advance()) {
            ++outstanding_;
            if (style_ == client_style::coroutines)
                asio::co_spawn(loop_, ask_once(pace_.due()), asio::detached);
            else
                agent_.async_request(question_.what, how_,
                    [this, due = pace_.due()](error_code code, auto const& answer) { ended(due, code, answer); });
        }
        asio::post(loop_, [this] { start(); });
    }

private:
    asio::awaitable<void> ask_once(time_point due)
    {
        auto const answer = co_await agent_.async_request(question_.what, how_, as_result);
        if (answer)
            ended(due, {}, answer.value());
        else
            ended(due, answer.error().code(), node_info{});
    }
    template <class Answer>
    void ended(time_point due, error_code code, Answer const& answer)
    {
        (void)report(meter_, due, code, answer);
        --outstanding_;
    }

    agent const& agent_;
    Question const& question_;
    meter& meter_;
    request_options how_;
    unsigned window_;
    client_style style_;
    pace pace_;
    asio::io_context& loop_;
    unsigned outstanding_ = 0;
};

template <class Question>
result<measured> run(venue const& on, load_options const& options, client_style style)
{
    runtime_client client{on, options};
    BOOST_OUTCOME_TRY(client.opened());
    meter meter{options};
    Question const question{on};
    generator<Question> all{client, question, meter, options, style};
    asio::post(client.loop, [&all] { all.start(); });
    client.loop.run();
    return meter.outcome();
}

} // namespace

result<measured> runtime_open_loop(venue const& on, load_options const& options, client_style style)
{
    return on.echo ? run<typed_question>(on, options, style) : run<question_of_bytes>(on, options, style);
}

} // namespace madrigal::bench
