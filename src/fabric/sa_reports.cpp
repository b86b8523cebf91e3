// Reports: what subnet administration tells its subscribers, unasked.
#include "fabric/log.hpp"
#include "fabric/sa_standing.hpp"

#include <madrigal/umad/registration.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace madrigal {
namespace detail {
namespace {

constexpr duration reopen_interval = std::chrono::milliseconds{250};

} // namespace

result<void> sa_core::open_reports()
{
    if (reports_)
        return outcome::success();
    // A report is one MAD: an agent without RMPP.
    auto wanted = umad::subnet_administration().serving(method::report);
    wanted.rmpp_version = 0;
    auto opened = on_.register_agent(wanted);
    if (!opened && opened.error() == errc::registration_refused)
        return error{errc::registration_refused,
            fmt::format("reports of subnet administration through {} go to another program already", name())};
    BOOST_OUTCOME_TRY(auto over, std::move(opened));
    reports_ = std::make_shared<agent>(std::move(over));
    run_in_background(on_.executor(), serve_reports(shared_from_this(), reports_));
    return outcome::success();
}

void sa_core::close_reports() noexcept
{
    if (auto const over = std::exchange(reports_, nullptr))
        over->close();
}

void sa_core::hear(std::shared_ptr<sa_subscribed> const& subscription)
{
    hearing_.push_back(subscription);
}

void sa_core::hear_no_more(sa_subscribed const& subscription)
{
    std::erase_if(hearing_, [&](auto const& weak) {
        auto const one = weak.lock();
        return !one || one.get() == &subscription;
    });
    if (hearing_.empty())
        close_reports(); // others may have the method
}

asio::awaitable<void> sa_core::serve_reports(std::shared_ptr<sa_core> self, std::shared_ptr<agent> over)
{
    for (;;) {
        auto received = co_await over->async_receive(as_result);
        if (!received) {
            if (received.error() != errc::device_gone)
                break;
            // Whoever owns the port opens it again; the subscriptions are void until then.
            for (auto const& one : self->kept_)
                one->make_void();
            (void)co_await self->sleep(self->now() + reopen_interval);
            if (self->closed_)
                break;
            continue;
        }
        auto& report = received.value();
        auto const told = report.mad().attribute_id() == attribute_id::notice ? report.attribute<notice_report>()
                                                                              : std::optional<notice_report>{};
        if (!told) {
            fabric_log().debug("what came from {} is no report", to_string(report.received().reply_to()));
            continue;
        }
        ++self->counters_.reports;
        if (auto const sent = co_await report.reply(); !sent)
            fabric_log().debug("a report cannot be answered: {}", sent.error().message());
        self->dispatch(*told);
    }
}

void sa_core::dispatch(notice_report const& told)
{
    auto const all = hearing_; // who is told may subscribe, or end it
    for (auto const& weak : all)
        if (auto const one = weak.lock(); one && is_informed(one->wanted(), told))
            one->put(told);
}

} // namespace detail

bool is_informed(inform_info const& subscription, notice_report const& of) noexcept
{
    if ((subscription.is_generic != 0) != of.is_generic)
        return false;
    if (subscription.type != all_notices && subscription.type != static_cast<std::uint16_t>(of.type))
        return false;
    if (subscription.trap_number != all_notices && subscription.trap_number != of.trap_number)
        return false;
    if (subscription.producer_type != all_producers && subscription.producer_type != of.producer_type)
        return false;
    if (subscription.source_gid != gid{})
        return subscription.source_gid == of.issuer_gid;
    if (subscription.lid_range_begin == all_lids)
        return true;
    auto const last = std::max(subscription.lid_range_begin, subscription.lid_range_end);
    return of.issuer_lid >= subscription.lid_range_begin && of.issuer_lid <= last;
}

} // namespace madrigal
