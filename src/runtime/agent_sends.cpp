// An agent's sends that want no answer.
#include <madrigal/runtime/detail/agent_core.hpp>

#include "runtime/packet_parts.hpp"

#include <utility>

namespace madrigal::detail {

class agent_core::send_submission final : public heap_submission {
public:
    send_submission(std::shared_ptr<agent_core> agent, engine::packet_ptr packet, operation caller)
        : agent_{std::move(agent)}, packet_{std::move(packet)}, caller_{std::move(caller)}
    {}

private:
    void act() override { (void)agent_->start_send(std::move(packet_), std::move(caller_), true); }

    std::shared_ptr<agent_core> agent_;
    engine::packet_ptr packet_;
    operation caller_;
};

error_code agent_core::start_send(engine::packet_ptr packet, operation&& caller, bool counted)
{
    ++counters_.sends;
    error_code code;
    if (!usable()) {
        code = unusable();
    } else {
        header_of(*packet).id = id_;
        if (!rmpp_ && packet->has_message())
            for_kernel(header_of(*packet));
        if (rmpp_ && (packet->has_message() || packet->is_growing())) {
            code = rmpp_->send(*packet, 0, caller);
            if (!code) {
                finish_send({}, counted, {});
                rmpp_->write_waiting();
                settle();
                return {};
            }
        } else if (home_->may_wait(*packet)) {
            handed_over_.push_back({.counted = counted, .caller = std::move(caller)});
            (void)home_->hand_over(std::move(packet));
            return {};
        } else {
            code = home_->write(*packet);
        }
    }
    finish_send(std::move(caller), counted, code);
    return code;
}

void agent_core::finish_send(operation&& caller, bool counted, error_code code)
{
    if (code)
        ++counters_.failed_writes;
    if (counted)
        submitted_sends_.fetch_sub(1, std::memory_order_relaxed);
    if (caller)
        complete_later(std::move(caller), code);
}

void agent_core::submit_send(engine::packet_ptr packet, operation&& caller)
{
    auto submission = std::make_unique<send_submission>(shared_from_this(), std::move(packet), std::move(caller));
    reactor_->submit(*submission.release());
}

void agent_core::send(engine::packet_ptr packet, operation&& caller)
{
    if (reactor_->on_loop() && reactor_->nothing_submitted()) {
        (void)start_send(std::move(packet), std::move(caller), false);
        return;
    }
    submitted_sends_.fetch_add(1, std::memory_order_relaxed);
    submit_send(std::move(packet), std::move(caller));
}

result<void> agent_core::try_send(engine::packet_ptr packet)
{
    if (!usable())
        return error{unusable()};
    bool const at_once = reactor_->on_loop() && reactor_->nothing_submitted();
    if (at_once && !home_->may_wait(*packet)) {
        if (auto const code = start_send(std::move(packet), {}, false))
            return error{code};
        return outcome::success();
    }
    if (submitted_sends_.fetch_add(1, std::memory_order_relaxed) >= options_.queue_limit) {
        submitted_sends_.fetch_sub(1, std::memory_order_relaxed);
        return errc::queue_full;
    }
    if (at_once)
        (void)start_send(std::move(packet), {}, true);
    else
        submit_send(std::move(packet), {});
    return outcome::success();
}

} // namespace madrigal::detail
