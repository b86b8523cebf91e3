// An agent's unsolicited MADs and those who wait for them.
#include <madrigal/runtime/detail/agent_core.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace madrigal::detail {

void agent_core::on_unsolicited(engine::packet_ptr& packet)
{
    ++counters_.received;
    if (!receivers_.empty()) {
        auto next = std::move(receivers_.front());
        receivers_.pop_front();
        complete(std::move(next.caller), {}, packet);
        return;
    }
    if (wanted_.methods.empty() || inbox_.size() >= options_.inbox_limit) {
        ++counters_.inbox_dropped;
        return;
    }
    inbox_.push_back(std::move(packet));
}

class agent_core::receive_submission final : public heap_submission {
public:
    receive_submission(std::shared_ptr<agent_core> agent, operation caller, std::uint64_t number,
        std::shared_ptr<remote_cancellation> cancellation)
        : agent_{std::move(agent)}, caller_{std::move(caller)}, number_{number}, cancellation_{std::move(cancellation)}
    {}

private:
    void act() override
    {
        if (cancellation_ && cancellation_->before_start != asio::cancellation_type::none) {
            agent_->complete_later(std::move(caller_), asio::error::operation_aborted);
            return;
        }
        if (cancellation_)
            cancellation_->id = 1;
        agent_->start_receive(std::move(caller_), number_);
    }

    std::shared_ptr<agent_core> agent_;
    operation caller_;
    std::uint64_t number_;
    std::shared_ptr<remote_cancellation> cancellation_;
};

/// Nothing has happened yet for a receiver that waits, so every type of cancellation ends it.
struct agent_core::receive_canceller {
    std::shared_ptr<agent_core> agent;
    std::uint64_t number;
    void operator()(asio::cancellation_type) const
    {
        if (agent->reactor_->on_loop())
            agent->cancel_receive(number);
        else
            asio::post(
                agent->reactor_->executor(), [agent = agent, number = number] { agent->cancel_receive(number); });
    }
};

void agent_core::receive(operation&& caller, asio::cancellation_slot slot)
{
    auto const number = receiver_number_.fetch_add(1, std::memory_order_relaxed);
    if (reactor_->on_loop()) {
        if (slot.is_connected())
            slot.emplace<receive_canceller>(receive_canceller{shared_from_this(), number});
        start_receive(std::move(caller), number);
        return;
    }
    std::shared_ptr<remote_cancellation> cancellation;
    if (slot.is_connected()) {
        cancellation = std::make_shared<remote_cancellation>();
        slot.assign([agent = shared_from_this(), cancellation, number](asio::cancellation_type type) {
            asio::post(agent->reactor_->executor(), [agent, cancellation, number, type] {
                if (cancellation->id != 0)
                    agent->cancel_receive(number);
                else
                    cancellation->before_start |= type;
            });
        });
    }
    auto submission =
        std::make_unique<receive_submission>(shared_from_this(), std::move(caller), number, std::move(cancellation));
    reactor_->submit(*submission.release());
}

void agent_core::start_receive(operation&& caller, std::uint64_t number)
{
    if (!inbox_.empty()) {
        asio::post(reactor_->executor(),
            [self = shared_from_this(), caller = std::move(caller), packet = std::move(inbox_.front())]() mutable {
                reactor_core::turn const now{*self->reactor_};
                caller.complete({}, packet);
            });
        inbox_.pop_front();
        return;
    }
    if (!usable()) {
        complete_later(std::move(caller), unusable());
        return;
    }
    receivers_.push_back({number, std::move(caller)});
    home_->add_interest();
    settle();
}

void agent_core::cancel_receive(std::uint64_t number)
{
    auto const place = std::find_if(
        receivers_.begin(), receivers_.end(), [&](receiver const& waiting) { return waiting.number == number; });
    if (place == receivers_.end())
        return;
    auto caller = std::move(place->caller);
    receivers_.erase(place);
    home_->drop_interest();
    complete_later(std::move(caller), asio::error::operation_aborted);
    settle();
}

} // namespace madrigal::detail
