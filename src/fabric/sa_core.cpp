#include "fabric/sa_core.hpp"
#include "fabric/sa_standing.hpp"
#include "fabric/sa_transaction.hpp"

#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/registration.hpp>

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <utility>

namespace madrigal {
namespace detail {
namespace {

/// So many farewells may be on the wire beside the questions.
constexpr unsigned places_for_farewells = 16;

result<void> check(sa_options const& options)
{
    auto const positive = {options.timeout, options.table_timeout, options.busy_interval};
    if (std::any_of(positive.begin(), positive.end(), [](auto one) { return one.count() <= 0; }))
        return error{errc::invalid_argument, "a client of subnet administration needs timeouts of 1 ms at least"};
    if (options.total.count() < 0 || options.window == 0)
        return error{
            errc::invalid_argument, "a client of subnet administration needs a window, and a total of 0 or more"};
    return outcome::success();
}

asio::awaitable<void> run_question(
    std::shared_ptr<sa_core> of, sa_question what, std::shared_ptr<sa_outcome<received_mad>> outcome)
{
    co_await let_cancel();
    sa_transaction transaction{std::move(of), what};
    outcome->why = co_await transaction.run(outcome->value);
    if (outcome->why.code())
        outcome->value = {}; // of a busy peer, for example
}

asio::awaitable<void> run_each(std::shared_ptr<sa_core> of, sa_question what, std::shared_ptr<sa_record_reader> reader,
    std::shared_ptr<sa_outcome<std::size_t>> outcome)
{
    co_await let_cancel();
    sa_transaction transaction{std::move(of), what, reader};
    received_mad headers;
    auto why = co_await transaction.run(headers);
    if (!why.code())
        why = reader->finish();
    else if (mad_status_of(why.code()) == mad_status::sa_no_records)
        why = {};
    outcome->why = std::move(why);
    outcome->value = reader->count();
}

asio::awaitable<void> run_reregister(std::shared_ptr<sa_core> of, std::shared_ptr<sa_outcome<sa_nothing>> outcome)
{
    co_await let_cancel();
    auto const all = of->kept();
    for (auto const& one : all)
        one->make_void();
    for (auto const& one : all) {
        if (one->renewing)
            continue; // once more, when that has ended
        auto const why = co_await of->renew(one);
        if (!why.code())
            ++of->counters().renewals;
        else if (!outcome->why.code())
            outcome->why = why;
    }
}

} // namespace

asio::awaitable<void> let_cancel()
{
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    co_await asio::this_coro::throw_if_cancelled(false);
}

void run_in_background(asio::any_io_executor const& loop, asio::awaitable<void> what)
{
    asio::co_spawn(loop, std::move(what), [](std::exception_ptr const& thrown) {
        if (thrown)
            std::rethrow_exception(thrown);
    });
}

sa_core::sa_core(port on, agent over, sa_options const& options)
    : on_{std::move(on)}, over_{std::move(over)}, options_{options}, places_{options.window}
{}

sa_core::~sa_core()
{
    close_reports();
}

std::string sa_core::name() const
{
    return umad::port_name(on_.attributes().ca_name, on_.attributes().number);
}

result<umad::subnet_attributes> sa_core::look_at_port()
{
    auto seen = on_.query_subnet();
    if (!seen) {
        // It was there when it was opened.
        bool const lost = on_.gone() || seen.error() == errc::no_such_ca || seen.error() == errc::no_such_port;
        return lost ? error{errc::device_gone, name()} : seen.error();
    }
    bool const moved = seen_ && !same_place(*seen_, seen.value());
    seen_ = seen.value();
    if (moved)
        watch_now();
    return seen;
}

void sa_core::close() noexcept
{
    if (std::exchange(closed_, true))
        return;
    over_.close();
    close_reports();
    for (auto const& one : std::exchange(kept_, {}))
        one->on_closed();
    sleepers_.wake_all();
    watch_now();
}

asio::any_io_executor const& sa_loop(sa_core const& of) noexcept
{
    return of.on().executor();
}

void sa_ask(std::shared_ptr<sa_core> const& of, sa_question const& what, sa_waiter_ptr<received_mad> waiter,
    asio::cancellation_slot slot)
{
    auto outcome = std::make_shared<sa_outcome<received_mad>>(std::move(waiter));
    run_for(sa_loop(*of), outcome, run_question(of, what, outcome), slot);
}

void sa_ask_each(std::shared_ptr<sa_core> const& of, sa_question const& what, std::shared_ptr<sa_record_reader> reader,
    sa_waiter_ptr<std::size_t> waiter, asio::cancellation_slot slot)
{
    auto outcome = std::make_shared<sa_outcome<std::size_t>>(std::move(waiter));
    run_for(sa_loop(*of), outcome, run_each(of, what, std::move(reader), outcome), slot);
}

void sa_reregister(std::shared_ptr<sa_core> const& of, sa_waiter_ptr<sa_nothing> waiter, asio::cancellation_slot slot)
{
    auto outcome = std::make_shared<sa_outcome<sa_nothing>>(std::move(waiter));
    run_for(sa_loop(*of), outcome, run_reregister(of, outcome), slot);
}

void sa_close(std::shared_ptr<sa_core> const& of, sa_waiter_ptr<sa_nothing> waiter)
{
    struct farewells {
        std::shared_ptr<sa_core> of;
        sa_outcome<sa_nothing> outcome;
        std::size_t left;
        void one_ended(error const& why)
        {
            if (why.code() && !outcome.why.code())
                outcome.why = why;
            if (--left != 0)
                return;
            of->close();
            std::exchange(outcome.waiter, nullptr)->complete(outcome.why, {});
        }
    };
    auto const all = of->kept();
    auto const under_way =
        std::make_shared<farewells>(farewells{of, sa_outcome<sa_nothing>{std::move(waiter)}, all.size() + 1});
    for (auto const& one : all) {
        (void)of->drop(*one);
        one->on_closed();
        of->say_farewell(one->farewell(), [under_way](error const& why) { under_way->one_ended(why); });
    }
    asio::post(sa_loop(*of), [under_way] { under_way->one_ended({}); });
}

} // namespace detail

result<sa_client> sa_client::open(port const& on, sa_options const& options)
{
    BOOST_OUTCOME_TRY(detail::check(options));
    auto wanted = umad::subnet_administration();
    if (options.user_rmpp)
        wanted.flags |= umad::user_rmpp;
    agent_options how;
    how.window.size = options.window + detail::places_for_farewells;
    how.retry.timeout = options.timeout;
    how.retry.retries = options.retries;
    how.rmpp.transfers.receiving.max_message = options.max_table;
    BOOST_OUTCOME_TRY(auto registered, on.register_agent(wanted, how));
    return sa_client{std::make_shared<detail::sa_core>(on, std::move(registered), options)};
}

void sa_client::close() const noexcept
{
    core_->close();
}

port const& sa_client::on() const noexcept
{
    return core_->on();
}

agent const& sa_client::over() const noexcept
{
    return core_->over();
}

sa_counters const& sa_client::counters() const noexcept
{
    return core_->counters();
}

std::optional<destination> sa_client::redirected_to() const
{
    auto const& known = core_->redirection();
    return known ? std::optional{known->to} : std::nullopt;
}

} // namespace madrigal
