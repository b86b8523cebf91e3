// Answers of an agent's own transfers whose data is still being made.
#include <madrigal/runtime/detail/agent_core.hpp>
#include <madrigal/runtime/detail/user_rmpp.hpp>

#include <boost/asio/error.hpp>

#include <utility>

namespace madrigal::detail {

void user_rmpp::grown(std::uint64_t ticket)
{
    // No event comes of it, so nobody is called from within.
    if (auto const one = outgoing_.find(ticket); one != outgoing_.end())
        if (transfers_->grown(one->second.key, agent_.home_->now()))
            write_waiting();
}

void user_rmpp::abort(std::uint64_t ticket)
{
    auto ended = outgoing_.extract(ticket);
    if (!ended)
        return;
    (void)transfers_->cancel(ended.mapped().key, agent_.home_->now());
    agent_.home_->drop_interest();
    agent_.complete_later(std::move(ended.mapped().caller), asio::error::operation_aborted);
    write_waiting();
}

void user_rmpp::on_room(engine::rmpp_event const& event)
{
    auto const one = outgoing_.find(event.ticket);
    if (one == outgoing_.end() || !one->second.growing)
        return;
    // It may end anything, itself too.
    if (auto const wake = one->second.growing->on_room)
        wake();
}

void agent_core::reply_has_grown(std::uint64_t ticket)
{
    if (!rmpp_ || !usable())
        return;
    reactor_core::turn const in_turn{*reactor_};
    rmpp_->grown(ticket);
    settle();
}

void agent_core::abort_reply(std::uint64_t ticket)
{
    if (!rmpp_ || !usable())
        return;
    reactor_core::turn const in_turn{*reactor_};
    rmpp_->abort(ticket);
    settle();
}

} // namespace madrigal::detail
