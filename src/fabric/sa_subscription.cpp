#include <madrigal/fabric/sa_subscription.hpp>

#include "fabric/sa_standing.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <fmt/format.h>

#include <algorithm>
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
    for (auto& one : std::exchange(receivers_, {}))
        tell_later(std::move(one.waiter), errc::agent_closed, {});
}

std::string sa_subscribed::name() const
{
    return fmt::format("the subscription to trap {} through {}", wanted_.trap_number, of().name());
}

void sa_subscribed::put(notice_report const& report)
{
    if (!receivers_.empty()) {
        auto first = std::move(receivers_.front());
        receivers_.pop_front();
        tell_later(std::move(first.waiter), {}, report);
    } else if (reports_.size() < of().options().report_limit) {
        reports_.push_back(report);
    } else {
        ++dropped_;
    }
}

void sa_subscribed::receive(sa_waiter_ptr<notice_report> waiter, asio::cancellation_slot slot)
{
    if (closed_) {
        tell_later(std::move(waiter), errc::agent_closed, {});
        return;
    }
    if (!reports_.empty()) {
        tell_later(std::move(waiter), {}, reports_.front());
        reports_.pop_front();
        return;
    }
    auto const number = next_number_++;
    if (slot.is_connected())
        slot.assign([weak = weak_from_this(), number](asio::cancellation_type) {
            if (auto const self = weak.lock())
                self->cancel(number);
        });
    receivers_.push_back({number, std::move(waiter)});
}

void sa_subscribed::cancel(std::uint64_t number)
{
    auto const place = std::find_if(
        receivers_.begin(), receivers_.end(), [&](receiver const& waiting) { return waiting.number == number; });
    if (place == receivers_.end())
        return;
    auto waiter = std::move(place->waiter);
    receivers_.erase(place);
    tell_later(std::move(waiter), asio::error::operation_aborted, {});
}

void sa_subscribed::tell_later(sa_waiter_ptr<notice_report> waiter, error_code code, notice_report const& report) const
{
    asio::post(
        of().on().executor(), [waiter = std::move(waiter), code, report]() mutable { waiter->complete(code, report); });
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
