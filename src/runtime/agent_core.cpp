#include <madrigal/runtime/detail/agent_core.hpp>

#include "runtime/packet_parts.hpp"

#include <boost/asio/post.hpp>

#include <cerrno>
#include <utility>

namespace madrigal::detail {
namespace {

/// Kernels from 6.17 on send so many of an agent's requests at a time, with default queue sizes.
unsigned kernel_limit(umad::registration const& wanted) noexcept
{
    return wanted.management_class == static_cast<std::uint8_t>(management_class::subnet_administration) ? 16 : 128;
}

} // namespace

agent_core::agent_core(std::shared_ptr<reactor_core> reactor, std::shared_ptr<channel> home, umad::registration wanted,
    agent_options const& options)
    : reactor_{std::move(reactor)},
      home_{std::move(home)},
      wanted_{wanted},
      options_{options},
      usual_schedule_{options.retry, time_point{}},
      requests_{{.window = options.window,
          .per_destination = options.per_destination,
          .queue_limit = options.queue_limit,
          .kernel_limit = kernel_limit(wanted)}}
{
    if (rmpp() != rmpp_by::nobody) {
        // Questions that wait to be served must not keep out what has been asked for.
        auto const all = options.rmpp.transfers.max_bytes;
        question_budget_ = std::make_shared<engine::rmpp_budget>(all / 4);
        message_budget_ = std::make_shared<engine::rmpp_budget>(all - all / 4);
    }
    if (rmpp() == rmpp_by::agent)
        rmpp_ = std::make_unique<user_rmpp>(*this, options.rmpp, message_budget_, question_budget_);
}

agent_core::~agent_core()
{
    if (attached_)
        home_->detach(*this);
}

result<void> agent_core::attach()
{
    BOOST_OUTCOME_TRY(id_, home_->attach(*this, wanted_));
    attached_ = true;
    gone_ = false;
    return outcome::success();
}

agent_gauges agent_core::gauges() const noexcept
{
    return {.slots = requests_.size(),
        .on_wire = requests_.window().in_use(),
        .waiting = requests_.waiting(),
        .inbox = inbox_.size(),
        .transfers = rmpp_ ? rmpp_->running() : 0,
        .message_bytes = message_budget_ ? message_budget_->used() + question_budget_->used() : 0,
        .window = requests_.window().size()};
}

error_code agent_core::unusable() const noexcept
{
    if (closed_.load(std::memory_order_relaxed))
        return errc::agent_closed;
    if (gone_.load(std::memory_order_relaxed))
        return errc::device_gone;
    return {};
}

void agent_core::settle()
{
    home_->settle();
    if (rmpp_)
        rmpp_->arm();
}

void agent_core::complete_later(operation&& caller, error_code code)
{
    asio::post(reactor_->executor(), [self = shared_from_this(), caller = std::move(caller), code]() mutable {
        reactor_core::turn const now{*self->reactor_};
        engine::packet_ptr none;
        caller.complete(code, none);
    });
}

void agent_core::complete(operation&& caller, error_code const& code, engine::packet_ptr& answer)
{
    home_->drop_interest();
    caller.complete(code, answer);
}

void agent_core::on_packet(engine::packet_ptr& packet)
{
    if (header_of(*packet).status == ETIMEDOUT)
        on_report(*packet);
    else if (rmpp_ && rmpp_->on_packet(packet))
        return;
    else if (mad_of(*packet).is_response())
        on_answer(packet);
    else
        on_unsolicited(packet);
}

void agent_core::end_all(error_code code)
{
    on_idle();
    for (auto& caller : requests_.end_all()) {
        home_->drop_interest();
        complete_later(std::move(caller), code);
    }
    for (auto& waiting : std::exchange(receivers_, {})) {
        home_->drop_interest();
        complete_later(std::move(waiting.caller), code);
    }
    if (rmpp_) {
        for (auto& caller : rmpp_->end_all()) {
            home_->drop_interest();
            complete_later(std::move(caller), code);
        }
    }
    // The writer that had them is gone, or goes now.
    for (auto& pending : std::exchange(handed_over_, {}))
        if (pending.request == 0)
            finish_send(std::move(pending.caller), pending.counted, code);
}

void agent_core::on_device_gone()
{
    gone_ = true;
    attached_ = false;
    end_all(errc::device_gone);
}

void agent_core::close()
{
    // A tap's sink is called in the middle of a write.
    if (reactor_->on_loop() && !reactor_->showing())
        close_on_loop();
    else
        asio::post(reactor_->executor(), [self = shared_from_this()] { self->close_on_loop(); });
}

void agent_core::close_on_loop()
{
    // What other threads have asked for before belongs to this agent by a plain pointer.
    reactor_->run_submissions();
    if (closed_.exchange(true))
        return;
    if (rmpp_)
        rmpp_->write_replies(); // what peers are told of transfers that have ended
    end_all(errc::agent_closed);
    inbox_.clear();
    attached_ = false;
    home_->detach(*this);
    settle();
}

void agent_core::abandon_all() noexcept
{
    closed_ = true;
    attached_ = false;
    home_->detach(*this);
    guard_.reset();
    inbox_.clear();
    // Destroying an operation may destroy a coroutine, and with it the last handle of this agent.
    auto const operations = requests_.end_all();
    auto const receivers = std::exchange(receivers_, {});
    auto const sends = std::exchange(handed_over_, {});
    if (rmpp_) {
        rmpp_->abandon();
        auto const answers = rmpp_->end_all();
    }
}

} // namespace madrigal::detail
