// An agent's requests: from their start to the answer, the kernel's report, the guard deadline or their cancellation.
#include <madrigal/runtime/detail/agent_core.hpp>

#include "runtime/packet_parts.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace madrigal::detail {
namespace {

/// How many guard deadlines are handled before others on the loop get their turn.
constexpr std::size_t guard_budget = 1024;

} // namespace

/// Cancels a request that was started on the loop.
struct agent_core::canceller {
    std::shared_ptr<agent_core> agent;
    std::uint32_t id;
    void operator()(asio::cancellation_type type) const
    {
        if (agent->reactor_->on_loop())
            agent->cancel_request(id, type);
        else
            asio::post(
                agent->reactor_->executor(), [agent = agent, id = id, type] { agent->cancel_request(id, type); });
    }
};

void submitted_request::run()
{
    (void)agent_->start_request(request_ptr{static_cast<request_record*>(this)});
}

void submitted_request::discard() noexcept
{
    request_ptr const ended{static_cast<request_record*>(this)};
}

/// A request from another thread that may be cancelled.
class agent_core::request_submission final : public heap_submission {
public:
    request_submission(
        std::shared_ptr<agent_core> agent, request_ptr made, std::shared_ptr<remote_cancellation> cancellation)
        : agent_{std::move(agent)}, made_{std::move(made)}, cancellation_{std::move(cancellation)}
    {}

private:
    void act() override
    {
        if (cancellation_->before_start == asio::cancellation_type::none) {
            cancellation_->id = agent_->start_request(std::move(made_));
            return;
        }
        ++agent_->counters_.requests;
        ++agent_->counters_.cancelled;
        agent_->complete_later(std::move(made_->operation()), asio::error::operation_aborted);
    }

    std::shared_ptr<agent_core> agent_;
    request_ptr made_;
    std::shared_ptr<remote_cancellation> cancellation_;
};

void agent_core::request(request_ptr made, asio::cancellation_slot slot)
{
    // In front of what other threads have queued already nobody may push.
    if (reactor_->on_loop() && reactor_->nothing_submitted()) {
        auto const id = start_request(std::move(made));
        if (id != 0 && slot.is_connected())
            slot.emplace<canceller>(canceller{shared_from_this(), id});
        return;
    }
    if (!slot.is_connected()) {
        made->belong_to(*this);
        reactor_->submit(*made.release());
        return;
    }
    auto cancellation = std::make_shared<remote_cancellation>();
    slot.assign([agent = shared_from_this(), cancellation](asio::cancellation_type type) {
        asio::post(agent->reactor_->executor(), [agent, cancellation, type] {
            if (cancellation->id != 0)
                agent->cancel_request(cancellation->id, type);
            else
                cancellation->before_start |= type;
        });
    });
    auto submission =
        std::make_unique<request_submission>(shared_from_this(), std::move(made), std::move(cancellation));
    reactor_->submit(*submission.release());
}

std::uint32_t agent_core::start_request(request_ptr made)
{
    ++counters_.requests;
    if (!usable()) {
        complete_later(std::move(made->operation()), unusable());
        return 0;
    }
    auto const [how, entry] = requests_.start(made, home_->holds_writes());
    if (how == machine::admission::full) {
        ++counters_.refused_full;
        complete_later(std::move(made->operation()), errc::queue_full);
        return 0;
    }
    home_->add_interest();
    auto const id = entry->id(); // a write that fails ends it
    if (how == machine::admission::write)
        write(*entry);
    else if (home_->holds_writes())
        home_->write_later();
    else
        guard(requests_.next_deadline()); // an idle agent has none armed, though abandoned requests hold the places
    settle();
    return id;
}

void agent_core::write(machine::request& entry)
{
    auto const now = home_->now();
    if (!requests_.prepare(entry, now)) {
        ++counters_.timeouts;
        refuse(entry, errc::timeout);
        return;
    }
    header_of(entry.packet()).id = id_;
    if (entry.packet().more && write_message(entry))
        return;
    if (home_->may_wait(entry.packet())) {
        handed_over_.push_back({.request = entry.id()});
        entry.set_ticket(home_->hand_over(requests_.hand_over(entry))); // nothing comes back before this
        return;
    }
    if (auto const code = home_->write(entry.packet())) {
        ++counters_.failed_writes;
        refuse(entry, code);
        return;
    }
    guard(requests_.written(entry, now, allowance_for(entry.packet())));
}

void agent_core::refuse(machine::request& entry, error_code code)
{
    auto const ended = requests_.finish(entry);
    if (!ended->operation())
        return;
    home_->drop_interest();
    complete_later(std::move(ended->operation()), code);
}

void agent_core::on_written(engine::packet_ptr packet, error_code code)
{
    auto const self = shared_from_this();
    auto what = std::move(handed_over_.front());
    handed_over_.pop_front();
    if (what.segment) {
        if (code && packet)
            rmpp_->on_refused(header_of(*packet), mad_of(*packet), code);
        return;
    }
    if (what.request == 0) {
        finish_send(std::move(what.caller), what.counted, code);
        return;
    }
    auto* const entry = requests_.handed_over(what.request);
    if (entry == nullptr)
        return; // taken back
    requests_.take_back(*entry, std::move(packet));
    if (code) {
        ++counters_.failed_writes;
        refuse(*entry, code);
        return;
    }
    // The kernel's own timer runs from now, not from when the packet was handed over.
    guard(requests_.written(*entry, home_->now(), allowance_for(entry->packet())));
}

void agent_core::write_waiting()
{
    if (home_->holds_writes()) {
        home_->write_later();
        return;
    }
    while (auto* entry = requests_.next_to_write())
        write(*entry);
    if (rmpp_)
        rmpp_->write_waiting();
}

void agent_core::finish(machine::request& entry, error_code const& code, engine::packet_ptr& answer)
{
    auto const ended = requests_.finish(entry);
    write_waiting();
    complete(std::move(ended->operation()), code, answer);
}

void agent_core::cancel_request(std::uint32_t id, asio::cancellation_type type)
{
    // A request on the wire may take effect: `total` promises that it has not, and so cannot be kept.
    bool const on_wire_too = (type & (asio::cancellation_type::terminal | asio::cancellation_type::partial)) !=
                             asio::cancellation_type::none;
    // What the writer has not begun with still waits.
    if (auto* const entry = requests_.handed_over(id);
        entry != nullptr && (on_wire_too || !entry->is_repeated()) && home_->take_back(entry->ticket()))
        requests_.take_back(*entry, {});
    auto caller = requests_.cancel(id, on_wire_too);
    if (!caller)
        return;
    if (rmpp_)
        rmpp_->cancel(id);
    ++counters_.cancelled;
    home_->drop_interest();
    complete_later(std::move(caller), asio::error::operation_aborted);
    write_waiting();
    settle();
}

void agent_core::guard(time_point deadline)
{
    if (deadline >= guard_at_)
        return;
    if (!guard_)
        guard_ = reactor_->time().make_alarm([this] { on_guard(); });
    // Abandoned requests may have earlier ones, from before the agent was idle.
    guard_at_ = std::min(deadline, requests_.next_deadline());
    guard_->arm(guard_at_);
}

void agent_core::on_idle()
{
    if (rmpp_)
        rmpp_->on_idle();
    if (guard_at_ == never)
        return;
    guard_at_ = never;
    guard_->arm(never);
}

void agent_core::on_guard()
{
    auto const self = shared_from_this();
    reactor_core::turn const in_turn{*reactor_};
    guard_at_ = never;
    if (expiring_)
        return; // a handler runs the loop
    if (rmpp_)
        rmpp_->on_due();
    if (home_->with_writer()) {
        // The kernel may have said long ago what is missed here, and nobody could read it.
        home_->guard_after_reading();
        return;
    }
    // Also where a handler throws: what follows must not be left out.
    struct tail {
        agent_core& agent;
        explicit tail(agent_core& of) noexcept : agent{of} { agent.expiring_ = true; }
        ~tail()
        {
            agent.expiring_ = false;
            if (agent.rmpp_)
                agent.rmpp_->forget_ended();
            agent.write_waiting();
            agent.settle();
            agent.guard_again();
        }
    } const at_the_end{*this};
    requests_.expire(
        reactor_->time().now(),
        [this](operation caller) {
            ++counters_.timeouts;
            ++counters_.guard_timeouts;
            engine::packet_ptr none;
            complete(std::move(caller), errc::timeout, none);
        },
        guard_budget);
}

void agent_core::guard_again()
{
    if (auto const next = requests_.next_deadline(); next != never && home_->interest() != 0)
        guard(next);
    if (rmpp_)
        rmpp_->arm();
}

void agent_core::on_report(engine::packet& packet)
{
    auto const mad = mad_of(packet);
    if (mad.is_response()) {
        // About a reply of ours, whose transaction id is the requester's.
        ++counters_.reply_reports;
        return;
    }
    auto const [what, entry] = requests_.on_timeout(mad.transaction_id(), home_->now());
    engine::packet_ptr none;
    switch (what) {
    case machine::verdict::complete:
        ++counters_.timeouts;
        finish(*entry, errc::timeout, none);
        break;
    case machine::verdict::again:
        write(*entry);
        write_waiting();
        break;
    case machine::verdict::late:
        ++counters_.late_answers;
        write_waiting();
        break;
    case machine::verdict::stale:
    case machine::verdict::mismatch: ++counters_.stale_answers; break;
    }
}

void agent_core::on_answer(engine::packet_ptr& packet)
{
    auto const mad = mad_of(*packet);
    auto const [what, entry] = requests_.on_answer(mad, home_->now());
    switch (what) {
    case machine::verdict::complete:
        ++counters_.answers;
        finish(*entry, {}, packet);
        break;
    case machine::verdict::late:
        ++counters_.late_answers;
        write_waiting();
        break;
    case machine::verdict::mismatch: ++counters_.mismatched_answers; break;
    case machine::verdict::again:
    case machine::verdict::stale: ++counters_.stale_answers; break;
    }
}

} // namespace madrigal::detail
