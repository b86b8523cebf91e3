#include <madrigal/runtime/detail/agent_core.hpp>

#include "runtime/log.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace madrigal::detail {
namespace {

/// How many guard deadlines are handled before others on the loop get their turn.
constexpr std::size_t guard_budget = 1024;

umad::ib_user_mad_hdr& header_of(engine::packet& packet) noexcept
{
    return *reinterpret_cast<umad::ib_user_mad_hdr*>(packet.bytes.data());
}

mad_view mad_of(engine::packet& packet) noexcept
{
    return mad_view{std::as_const(packet).contents().subspan(umad::header_size)};
}

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
      requests_{{.window = options.window,
          .per_destination = options.per_destination,
          .queue_limit = options.queue_limit,
          .kernel_limit = kernel_limit(wanted)}}
{}

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
}

void agent_core::complete_later(operation caller, error_code code)
{
    asio::post(reactor_->executor(), [self = shared_from_this(), caller = std::move(caller), code]() mutable {
        engine::packet_ptr none;
        caller.complete(code, none);
    });
}

void agent_core::complete(operation caller, error_code code, engine::packet_ptr& answer)
{
    home_->drop_interest();
    caller.complete(code, answer);
}

// Requests ------------------------------------------------------------------------------------------------------------

/// Cancels a request from the loop's thread. The slot that holds this is cleared before the request's handler is
/// called, and until then the agent lives.
struct agent_core::canceller {
    agent_core* agent;
    std::uint32_t id;
    void operator()(asio::cancellation_type type) const { agent->cancel_request(id, type); }
};

/// Cancels a request that another thread has handed over. `id` belongs to the loop.
struct agent_core::remote_cancellation {
    std::uint32_t id = 0;
    asio::cancellation_type before_start = asio::cancellation_type::none;
};

class agent_core::request_submission final : public submission {
public:
    request_submission(std::shared_ptr<agent_core> agent, engine::packet_ptr packet, request_terms const& terms,
        operation caller, std::shared_ptr<remote_cancellation> cancellation)
        : agent_{std::move(agent)},
          packet_{std::move(packet)},
          terms_{terms},
          caller_{std::move(caller)},
          cancellation_{std::move(cancellation)}
    {}
    void run() override
    {
        if (cancellation_ && cancellation_->before_start != asio::cancellation_type::none) {
            ++agent_->counters_.requests;
            ++agent_->counters_.cancelled;
            agent_->complete_later(std::move(caller_), asio::error::operation_aborted);
            return;
        }
        agent_->start_request(
            std::move(packet_), terms_, std::move(caller_), cancellation_ ? &cancellation_->id : nullptr);
    }

private:
    std::shared_ptr<agent_core> agent_;
    engine::packet_ptr packet_;
    request_terms terms_;
    operation caller_;
    std::shared_ptr<remote_cancellation> cancellation_;
};

void agent_core::request(
    engine::packet_ptr packet, request_terms const& terms, operation caller, asio::cancellation_slot slot)
{
    // In front of what other threads have queued already nobody may push.
    if (reactor_->on_loop() && reactor_->nothing_submitted()) {
        std::uint32_t id = 0;
        start_request(std::move(packet), terms, std::move(caller), &id);
        if (id != 0 && slot.is_connected())
            slot.emplace<canceller>(canceller{this, id});
        return;
    }
    std::shared_ptr<remote_cancellation> cancellation;
    if (slot.is_connected()) {
        cancellation = std::make_shared<remote_cancellation>();
        slot.assign([agent = shared_from_this(), cancellation](asio::cancellation_type type) {
            asio::post(agent->reactor_->executor(), [agent, cancellation, type] {
                if (cancellation->id != 0)
                    agent->cancel_request(cancellation->id, type);
                else
                    cancellation->before_start |= type;
            });
        });
    }
    reactor_->submit(std::make_unique<request_submission>(
        shared_from_this(), std::move(packet), terms, std::move(caller), std::move(cancellation)));
}

void agent_core::start_request(
    engine::packet_ptr packet, request_terms const& terms, operation caller, std::uint32_t* started_id)
{
    ++counters_.requests;
    if (auto const code = unusable()) {
        complete_later(std::move(caller), code);
        return;
    }
    auto const [how, entry] = requests_.start(packet, terms.destination, terms.policy, caller);
    if (how == machine::admission::full) {
        ++counters_.refused_full;
        complete_later(std::move(caller), errc::queue_full);
        return;
    }
    home_->add_interest();
    if (started_id != nullptr)
        *started_id = entry->id();
    if (how == machine::admission::write)
        write(*entry);
    settle();
}

void agent_core::write(machine::request& entry)
{
    auto const now = home_->now();
    error_code code = errc::timeout;
    if (requests_.prepare(entry, now)) {
        header_of(entry.packet()).id = id_;
        code = home_->write(entry.packet());
        if (!code) {
            guard(requests_.written(entry, now));
            return;
        }
        ++counters_.failed_writes;
    }
    auto caller = requests_.finish(entry);
    if (!caller)
        return;
    home_->drop_interest();
    complete_later(std::move(caller), code);
}

void agent_core::write_waiting()
{
    while (auto* entry = requests_.next_to_write())
        write(*entry);
}

void agent_core::finish(machine::request& entry, error_code code, engine::packet_ptr& answer)
{
    auto caller = requests_.finish(entry);
    write_waiting();
    complete(std::move(caller), code, answer);
}

void agent_core::cancel_request(std::uint32_t id, asio::cancellation_type type)
{
    // A request on the wire may take effect: `total` promises that it has not, and so cannot be kept.
    bool const on_wire_too = (type & (asio::cancellation_type::terminal | asio::cancellation_type::partial)) !=
                             asio::cancellation_type::none;
    auto caller = requests_.cancel(id, on_wire_too);
    if (!caller)
        return;
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
    if (guard_at_ == never)
        return;
    guard_at_ = never;
    guard_->arm(never);
}

void agent_core::on_guard()
{
    auto const self = shared_from_this();
    guard_at_ = never;
    requests_.expire(
        reactor_->time().now(),
        [this](operation caller) {
            ++counters_.timeouts;
            ++counters_.guard_timeouts;
            engine::packet_ptr none;
            complete(std::move(caller), errc::timeout, none);
        },
        guard_budget);
    write_waiting();
    settle();
    if (auto const next = requests_.next_deadline(); next != never && home_->interest() != 0)
        guard(next);
}

// Sends ---------------------------------------------------------------------------------------------------------------

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

void agent_core::send(engine::packet_ptr packet, operation caller)
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

// What arrives --------------------------------------------------------------------------------------------------------

void agent_core::on_packet(engine::packet_ptr& packet)
{
    if (header_of(*packet).status == ETIMEDOUT)
        on_report(*packet);
    else if (mad_of(*packet).is_response())
        on_answer(packet);
    else
        on_unsolicited(packet);
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

class agent_core::receive_submission final : public submission {
public:
    receive_submission(std::shared_ptr<agent_core> agent, operation caller, std::uint64_t number)
        : agent_{std::move(agent)}, caller_{std::move(caller)}, number_{number}
    {}
    void run() override { agent_->start_receive(std::move(caller_), number_); }

private:
    std::shared_ptr<agent_core> agent_;
    operation caller_;
    std::uint64_t number_;
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

void agent_core::receive(operation caller, asio::cancellation_slot slot)
{
    auto const number = receiver_number_.fetch_add(1, std::memory_order_relaxed);
    if (slot.is_connected())
        slot.emplace<receive_canceller>(receive_canceller{shared_from_this(), number});
    if (reactor_->on_loop())
        start_receive(std::move(caller), number);
    else
        reactor_->submit(std::make_unique<receive_submission>(shared_from_this(), std::move(caller), number));
}

void agent_core::start_receive(operation caller, std::uint64_t number)
{
    if (!inbox_.empty()) {
        // Shared, because a posted function must be copyable for some executors, which a packet is not.
        asio::post(
            reactor_->executor(), [self = shared_from_this(), caller = std::move(caller),
                                      packet = std::move(inbox_.front())]() mutable { caller.complete({}, packet); });
        inbox_.pop_front();
        return;
    }
    if (auto const code = unusable()) {
        complete_later(std::move(caller), code);
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

// Ends ----------------------------------------------------------------------------------------------------------------

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
}

void agent_core::on_device_gone()
{
    gone_ = true;
    attached_ = false;
    end_all(errc::device_gone);
}

void agent_core::close()
{
    if (reactor_->on_loop())
        close_on_loop();
    else
        asio::post(reactor_->executor(), [self = shared_from_this()] { self->close_on_loop(); });
}

void agent_core::close_on_loop()
{
    if (closed_.exchange(true))
        return;
    end_all(errc::agent_closed);
    inbox_.clear();
    if (std::exchange(attached_, false))
        home_->detach(*this);
    settle();
}

void agent_core::abandon_all() noexcept
{
    closed_ = true;
    if (std::exchange(attached_, false))
        home_->detach(*this);
    guard_.reset();
    inbox_.clear();
    // Destroying an operation may destroy a coroutine, and with it the last handle of this agent.
    auto const operations = requests_.end_all();
    auto const receivers = std::exchange(receivers_, {});
}

} // namespace madrigal::detail
