// What the clients of the runtime have in common: loop, port and agent, and what they ask.
#pragma once

#include "meter.hpp"
#include "venue.hpp"

#include <madrigal/runtime/agent.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/runtime/reactor.hpp>
#include <madrigal/wire/attributes/node_info.hpp>

#include <algorithm>

namespace madrigal::bench {

/// The venue's question as users ask it: typed over the socket, where it is a Get(NodeInfo).
struct typed_question {
    query<node_info> what;
    explicit typed_question(venue const& on) noexcept : what{get<node_info>(on.question.to)} {}
};
/// The same as bytes, on a port.
struct question_of_bytes {
    raw_mad what;
    explicit question_of_bytes(venue const& on) noexcept : what{on.question} {}
};

[[nodiscard]] inline error_code outcome_of(node_info const&) noexcept
{
    return {};
}
/// The kernel answers with a status when nobody serves the class any more.
[[nodiscard]] inline error_code outcome_of(received_mad const& answer) noexcept
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

/// Loop, port and agent of one run. Opening them is not measured.
class runtime_client {
public:
    runtime_client(venue const& on, load_options const& options) : reactor_{loop, *on.host}, opened_{open(on, options)}
    {}

    [[nodiscard]] result<void> opened() const
    {
        if (!opened_)
            return opened_.error();
        return outcome::success();
    }
    [[nodiscard]] madrigal::agent const& agent() const noexcept { return opened_.assume_value(); }

    asio::io_context loop{1};

private:
    result<madrigal::agent> open(venue const& on, load_options const& options)
    {
        BOOST_OUTCOME_TRY(auto const port, reactor_.open({.ca = on.port.ca_name, .port = on.port.number}));
        agent_options how;
        how.window.size = options.window;
        how.queue_limit = std::max<std::size_t>(how.queue_limit, options.window);
        return port.register_agent(on.client, how);
    }

    reactor reactor_;
    result<madrigal::agent> opened_;
};

[[nodiscard]] inline request_options how_to_wait(load_options const& options) noexcept
{
    return {.timeout = options.timeout, .retries = options.retries};
}

} // namespace madrigal::bench
