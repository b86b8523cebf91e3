// An agent's sends that want no answer.
#include <madrigal/runtime/detail/agent_core.hpp>

#include "runtime/packet_parts.hpp"

#include <utility>

namespace madrigal::detail {

class agent_core::send_submission final : public submission {
public:
    send_submission(std::shared_ptr<agent_core> agent, engine::packet_ptr packet, operation caller)
        : agent_{std::move(agent)}, packet_{std::move(packet)}, caller_{std::move(caller)}
    {}
    void run() override
    {
        agent_->submitted_sends_.fetch_sub(1, std::memory_order_relaxed);
        auto const code = agent_->write_send(*packet_);
        if (caller_)
            agent_->complete_later(std::move(caller_), code);
    }

private:
    std::shared_ptr<agent_core> agent_;
    engine::packet_ptr packet_;
    operation caller_;
};

error_code agent_core::write_send(engine::packet& packet)
{
    ++counters_.sends;
    auto code = unusable();
    if (!code) {
        header_of(packet).id = id_;
        code = home_->write(packet);
    }
    if (code)
        ++counters_.failed_writes;
    return code;
}

void agent_core::send(engine::packet_ptr packet, operation&& caller)
{
    if (reactor_->on_loop() && reactor_->nothing_submitted()) {
        auto const code = write_send(*packet);
        complete_later(std::move(caller), code);
        return;
    }
    submitted_sends_.fetch_add(1, std::memory_order_relaxed);
    reactor_->submit(std::make_unique<send_submission>(shared_from_this(), std::move(packet), std::move(caller)));
}

result<void> agent_core::try_send(engine::packet_ptr packet)
{
    if (auto const code = unusable())
        return error{code};
    if (reactor_->on_loop() && reactor_->nothing_submitted()) {
        if (auto const code = write_send(*packet))
            return error{code};
        return outcome::success();
    }
    if (submitted_sends_.fetch_add(1, std::memory_order_relaxed) >= options_.queue_limit) {
        submitted_sends_.fetch_sub(1, std::memory_order_relaxed);
        return errc::queue_full;
    }
    reactor_->submit(std::make_unique<send_submission>(shared_from_this(), std::move(packet), operation{}));
    return outcome::success();
}

} // namespace madrigal::detail
