#include <madrigal/runtime/reply_stream.hpp>

#include <madrigal/runtime/detail/agent_core.hpp>

#include "runtime/stream_tickets.hpp"

namespace madrigal {

std::size_t reply_stream::append(std::span<std::byte const> data) const
{
    auto const taken = state_->append(data);
    tell();
    return taken;
}

void reply_stream::finish() const
{
    state_->finish();
    tell();
}

void reply_stream::abort() const
{
    if (auto const agent = state_->agent.lock())
        agent->abort_reply(state_->ticket);
    else
        state_->ticket = detail::aborted_early;
}

void reply_stream::tell() const
{
    if (auto const agent = state_->agent.lock())
        agent->reply_has_grown(state_->ticket);
}

} // namespace madrigal
