#include "fabric/sa_standing.hpp"
#include "fabric/log.hpp"
#include "fabric/sa_transaction.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <utility>

namespace madrigal::detail {
namespace {

constexpr duration shortest_retry = std::chrono::seconds{1};
constexpr duration longest_retry = std::chrono::seconds{60};

} // namespace

void sa_core::keep(std::shared_ptr<sa_standing> what)
{
    kept_.push_back(std::move(what));
    if (std::exchange(watching_, true))
        watch_now();
    else
        run_in_background(on_.executor(), watch(shared_from_this()));
}

bool sa_core::drop(sa_standing const& what)
{
    auto const place = std::find_if(kept_.begin(), kept_.end(), [&](auto const& one) { return one.get() == &what; });
    if (place == kept_.end())
        return false;
    kept_.erase(place);
    if (kept_.empty())
        watch_now();
    return true;
}

asio::awaitable<error> sa_core::renew(std::shared_ptr<sa_standing> what)
{
    auto const self = shared_from_this();
    what->renewing = true;
    what->outdated = false;
    error why;
    umad::subnet_attributes asked_of;
    if (auto const seen = look_at_port(); seen) {
        sa_transaction transaction{self, what->request(seen.value())};
        received_mad answer;
        why = co_await transaction.run(answer);
        if (!why.code())
            why = what->on_answer(answer);
        asked_of = transaction.asked_of();
        // Registered with the addresses that the port had before.
        if (!why.code() && !same_place(asked_of, seen.value()))
            what->outdated = true;
    } else {
        why = seen.error();
    }
    what->renewing = false;
    if (!why.code() && !what->outdated) {
        what->told = asked_of;
        what->told_at = now();
        what->interval = {};
    } else {
        what->told.reset();
        what->interval = what->outdated ? duration{} : std::clamp(2 * what->interval, shortest_retry, longest_retry);
        what->next_try = now() + what->interval;
        what->outdated = false;
    }
    // The farewell may have overtaken this.
    if (what->ended && !closed_)
        say_farewell(what->farewell(), [](error const&) {});
    watch_now();
    co_return why;
}

void sa_core::renew_what_is_due(umad::subnet_attributes const* seen)
{
    // Port 0 of a switch has no state that means anything.
    bool const up = seen && (seen->state == port_state::active || on_.attributes().number == 0);
    bool const can_ask = up && seen->sm_lid.is_unicast() && seen->base_lid.is_unicast();
    auto const all = kept_;
    for (auto const& one : all) {
        if (one->renewing)
            continue;
        // A subnet manager forgets the ports that go down.
        if (one->told && seen && (!up || !same_place(*one->told, *seen)))
            one->make_void();
        if (one->told && options_.renew_interval.count() > 0 && now() - one->told_at >= options_.renew_interval)
            one->make_void();
        if (one->told || one->next_try > now() || !can_ask)
            continue;
        one->renewing = true;
        run_in_background(on_.executor(), renew_kept(shared_from_this(), one));
    }
}

asio::awaitable<void> sa_core::renew_kept(std::shared_ptr<sa_core> self, std::shared_ptr<sa_standing> what)
{
    auto const why = co_await self->renew(what);
    if (why.code() && !self->closed_)
        fabric_log().warn("{} could not be renewed: {}", what->name(), why.message());
    else
        ++self->counters_.renewals;
}

time_point sa_core::next_look() const noexcept
{
    auto next = options_.watch_interval.count() > 0 ? now() + options_.watch_interval : never;
    for (auto const& one : kept_) {
        if (one->renewing)
            continue;
        if (!one->told)
            next = std::min(next, std::max(one->next_try, now() + shortest_retry));
        else if (options_.renew_interval.count() > 0)
            next = std::min(next, one->told_at + options_.renew_interval);
    }
    return next;
}

asio::awaitable<void> sa_core::watch(std::shared_ptr<sa_core> self)
{
    while (!self->kept_.empty() && !self->closed_) {
        auto const seen = self->look_at_port();
        self->renew_what_is_due(seen ? &seen.value() : nullptr);
        (void)co_await self->watcher_.sleep(self->on_.time(), self->next_look());
    }
    self->watching_ = false;
}

void sa_core::watch_now()
{
    watcher_.wake_all();
}

asio::awaitable<void> sa_core::take_leave(
    std::shared_ptr<sa_core> self, sa_question what, std::function<void(error const&)> done)
{
    // Told at the end of the time at the latest; what is still on the wire then ends by itself.
    struct teller {
        std::function<void(error const&)> done;
        std::unique_ptr<alarm> clock;
        void tell(error const& why)
        {
            if (auto const once = std::exchange(done, nullptr))
                once(why);
        }
    };
    auto const told = std::make_shared<teller>();
    told->done = std::move(done);
    told->clock = self->on_.time().make_alarm([told = std::weak_ptr{told}] {
        if (auto const alive = told.lock())
            alive->tell(errc::timeout);
    });
    told->clock->arm(self->now() + sa_farewell_limit);
    what.how.total = sa_farewell_limit;
    what.how.timeout = sa_farewell_limit / 4;
    what.how.retries = 3;
    sa_transaction transaction{self, what};
    received_mad answer;
    told->tell(co_await transaction.run_at_once(answer));
}

void sa_core::say_farewell(sa_question what, std::function<void(error const&)> done)
{
    run_in_background(on_.executor(), take_leave(shared_from_this(), what, std::move(done)));
}

void end_standing(std::shared_ptr<sa_standing> const& what, sa_waiter_ptr<sa_nothing> waiter)
{
    auto const& of = what->shared_core();
    bool const was_kept = of->drop(*what);
    what->ended = true;
    what->on_closed();
    // std::function must be copyable, and waiters are not.
    auto const shared = std::make_shared<sa_waiter_ptr<sa_nothing>>(std::move(waiter));
    if (was_kept && !of->closed()) {
        of->say_farewell(what->farewell(), [shared, name = what->name()](error const& why) {
            if (why.code())
                fabric_log().debug("{} has ended without an answer: {}", name, why.message());
            if (*shared)
                (*shared)->complete(why, {});
        });
        return;
    }
    if (*shared)
        asio::post(of->on().executor(), [shared] { (*shared)->complete(errc::agent_closed, {}); });
}

} // namespace madrigal::detail
