#include <madrigal/fabric/sa_subscription.hpp>

#include "fabric/sa_standing.hpp"

#include <boost/asio/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace madrigal {
namespace detail {
namespace {

sa_question inform(inform_info wanted, bool subscribe, sa_request_options const& how) noexcept
{
    wanted.subscribe = subscribe ? 1 : 0;
    wanted.qpn = subscribe ? 0 : 1; // GMPs have one queue pair
    sa_question asked{.ask = method::set, .attribute_id = attribute_id::inform_info, .how = how};
    (void)encode(wanted, asked.data);
    return asked;
}

asio::awaitable<void> run_subscribe(std::shared_ptr<sa_core> of, std::shared_ptr<sa_subscribed> made,
    std::shared_ptr<sa_outcome<sa_subscription>> outcome)
{
    co_await let_cancel();
    if (of->closed()) {
        outcome->why = errc::agent_closed;
        co_return;
    }
    if (auto const opened = of->open_reports(); !opened) {
        outcome->why = opened.error();
        co_return;
    }
    of->hear(made); // reports may come before the answer
    outcome->why = co_await of->renew(made);
    if (!outcome->why.code() && !of->closed()) {
        of->keep(made);
        outcome->value = sa_subscription{made};
        co_return;
    }
    made->on_closed();
    if (outcome->why == error_code{asio::error::operation_aborted})
        of->say_farewell(made->farewell(), [](error const&) {});
    else if (!outcome->why.code())
        outcome->why = errc::agent_closed;
}

} // namespace

sa_subscribed::sa_subscribed(std::shared_ptr<sa_core> of, inform_info const& wanted, sa_request_options const& how)
    : sa_standing{std::move(of)}, wanted_{wanted}, how_{how}
{}

sa_question sa_subscribed::request(umad::subnet_attributes const&) const
{
    return inform(wanted_, true, how_);
}

sa_question sa_subscribed::farewell() const
{
    return inform(wanted_, false, how_);
}

error sa_subscribed::on_answer(received_mad const&)
{
    return {}; // its good status is all that it says
}

void sa_subscribed::on_closed()
{
    if (std::exchange(closed_, true))
        return;
    of().hear_no_more(*this);
    reports_.clear();
    promised_ = 0;
    receivers_.wake_all();
}

std::string sa_subscribed::name() const
{
    return fmt::format("the subscription to trap {} through {}", wanted_.trap_number, of().name());
}

void sa_subscribed::put(notice_report const& report)
{
    bool const awaited = receivers_.size() != 0;
    if (!awaited && reports_.size() - promised_ >= of().options().report_limit) {
        ++dropped_;
        return;
    }
    reports_.push_back(report);
    if (awaited) {
        ++promised_;
        receivers_.wake_first();
    }
}

void sa_subscribed::receive(sa_waiter_ptr<notice_report> waiter, asio::cancellation_slot slot)
{
    auto outcome = std::make_shared<sa_outcome<notice_report>>(std::move(waiter));
    run_for(sa_loop(*this), outcome, wait_for_report(shared_from_this(), outcome), slot);
}

asio::awaitable<void> sa_subscribed::wait_for_report(
    std::shared_ptr<sa_subscribed> self, std::shared_ptr<sa_outcome<notice_report>> outcome)
{
    co_await let_cancel();
    if (self->closed_) {
        outcome->why = errc::agent_closed;
        co_return;
    }
    if (self->reports_.size() > self->promised_) {
        auto const next = self->reports_.begin() + static_cast<std::ptrdiff_t>(self->promised_);
        outcome->value = *next;
        self->reports_.erase(next);
        co_return;
    }
    auto const why = co_await self->receivers_.sleep(self->of().on().time(), never);
    if (why != waking::woken) {
        outcome->why = error{asio::error::operation_aborted};
        co_return;
    }
    if (self->closed_) {
        outcome->why = errc::agent_closed;
        co_return;
    }
    outcome->value = self->reports_.front();
    self->reports_.pop_front();
    --self->promised_;
}

asio::any_io_executor const& sa_loop(sa_subscribed const& of) noexcept
{
    return of.of().on().executor();
}

void sa_receive_report(
    std::shared_ptr<sa_subscribed> const& from, sa_waiter_ptr<notice_report> waiter, asio::cancellation_slot slot)
{
    from->receive(std::move(waiter), slot);
}

void sa_unsubscribe(std::shared_ptr<sa_subscribed> const& what, sa_waiter_ptr<sa_nothing> waiter)
{
    end_standing(what, std::move(waiter));
}

void sa_subscribe(std::shared_ptr<sa_core> const& of, inform_info const& wanted, sa_request_options const& how,
    sa_waiter_ptr<sa_subscription> waiter, asio::cancellation_slot slot)
{
    auto outcome = std::make_shared<sa_outcome<sa_subscription>>(std::move(waiter));
    auto made = std::make_shared<sa_subscribed>(of, wanted, how);
    run_for(sa_loop(*of), outcome, run_subscribe(of, std::move(made), outcome), slot);
}

} // namespace detail

void sa_subscription::leave() noexcept
{
    if (auto const state = std::exchange(state_, nullptr))
        detail::sa_unsubscribe(state, nullptr);
}

std::uint64_t sa_subscription::dropped() const noexcept
{
    return state_->dropped();
}

bool sa_subscription::current() const noexcept
{
    return state_->told.has_value();
}

} // namespace madrigal
