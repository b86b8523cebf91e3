#include "loops.hpp"
#include "socket_host.hpp"

#include <madrigal/madrigal.hpp>

#include <boost/asio.hpp>

#include <deque>

namespace madrigal::bench {
namespace {

constexpr directed_route way{0, 1};

asio::awaitable<void> ask_again_and_again(agent const& agent, meter& meter, request_options const& how)
{
    auto begun = meter::clock::now();
    while (meter.running()) {
        auto const answer = co_await agent.async_request(get<node_info>(way), how, as_result);
        if (!answer) {
            meter.fail(answer.error());
            co_return;
        }
        begun = meter.on_answer(begun);
    }
}

class handler_client {
public:
    handler_client(agent const& agent, meter& meter, request_options const& how) noexcept
        : agent_{agent}, meter_{meter}, how_{how}
    {}

    void ask()
    {
        agent_.async_request(get<node_info>(way), how_, [this](error_code code, node_info const&) {
            if (code) {
                meter_.fail(code);
                return;
            }
            begun_ = meter_.on_answer(begun_);
            if (meter_.running())
                ask();
        });
    }

private:
    agent const& agent_;
    meter& meter_;
    request_options how_;
    meter::clock::time_point begun_ = meter::clock::now();
};

} // namespace

result<measured> run_runtime_loop(int descriptor, load_options const& options, client_style style)
{
    asio::io_context loop{1};
    socket_host host{descriptor};
    reactor const reactor{loop, host};
    BOOST_OUTCOME_TRY(auto const port, reactor.open());
    BOOST_OUTCOME_TRY(
        auto const agent, port.register_agent(umad::subnet_directed_route(), {.window = {.size = options.window}}));
    meter meter{options};
    request_options const how{.timeout = options.timeout, .retries = 0};
    std::deque<handler_client> clients;
    for (unsigned i = 0; i != options.window; ++i) {
        if (style == client_style::coroutines)
            asio::co_spawn(loop, ask_again_and_again(agent, meter, how), asio::detached);
        else
            clients.emplace_back(agent, meter, how).ask();
    }
    loop.run();
    return meter.outcome();
}

} // namespace madrigal::bench
