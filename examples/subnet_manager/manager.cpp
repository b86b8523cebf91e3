#include "manager.hpp"

#include "administration.hpp"

#include <madrigal/engine/ipoib_broadcast_group.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace sm {

using madrigal::errc;
using madrigal::sm_duty;

madrigal::result<std::unique_ptr<manager>> manager::open(madrigal::reactor& on, settings const& with)
{
    BOOST_OUTCOME_TRY(auto port, on.open({.ca = with.ca, .port = with.port}));
    BOOST_OUTCOME_TRY(auto client, open_client(port, with));
    madrigal::known_lids lids;
    if (!with.lids_file.empty()) {
        BOOST_OUTCOME_TRY(lids, read_lids(with.lids_file));
    }
    return std::unique_ptr<manager>{new manager{std::move(port), with, std::move(client), std::move(lids)}};
}

manager::manager(madrigal::port port, settings const& with, madrigal::smp_client client, madrigal::known_lids lids)
    : lids_{std::move(lids)},
      changed_{port.executor(), asio::steady_timer::time_point::max()},
      alarm_{port.time().make_alarm([this] { wake(); })}
{
    known_.port = std::move(port);
    known_.with = with;
    known_.client = std::move(client);
    known_.self = [this] { return mastership_.info(); };
    known_.groups_changed = [this] {
        groups_changed_ = true;
        wake();
    };
    (void)known_.groups.keep_group(madrigal::engine::ipoib_broadcast_group());
}

std::string manager::name() const
{
    return fmt::format("{} port {}", known_.port.attributes().ca_name, known_.port.attributes().number);
}

void manager::wake()
{
    changed_.cancel();
}

void manager::sweep_again()
{
    sweep_wanted_ = true;
    wake();
}

void manager::stop()
{
    stopping_ = true;
    mastership_.close();
    traps_.close();
    known_.administration.close();
    known_.client.close();
    claim_.release();
    wake();
}

/// Runs a task beside the others; `run` waits for all of them.
template <class Awaitable>
void manager::start(Awaitable task)
{
    ++running_;
    asio::co_spawn(known_.port.executor(), std::move(task), [this](std::exception_ptr const& thrown) {
        --running_;
        if (thrown) {
            spdlog::critical("{}: a task has ended by an exception", name());
            stop();
        }
        wake();
    });
}

asio::awaitable<bool> manager::run(bool once)
{
    auto const begun = co_await begin();
    if (!begun && !stopping_)
        spdlog::error("{}: {}", name(), begun.error().message());
    bool good = false;
    if (begun) {
        start(take_duties());
        start(take_traps());
        good = co_await work(once);
    }
    stop();
    while (running_ != 0)
        co_await changed_.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return good;
}

asio::awaitable<madrigal::result<void>> manager::begin()
{
    constexpr auto for_ever = std::chrono::hours{24 * 365};
    auto claim = known_.port.become_sm();
    if (!claim) {
        spdlog::warn("{}; waiting for it", claim.error().message());
        claim = co_await known_.port.async_become_sm(for_ever, madrigal::as_result);
    }
    if (!claim)
        co_return claim.error();
    claim_ = std::move(claim).value();
    if (stopping_)
        co_return madrigal::error{errc::agent_closed};
    madrigal::smp_server_options unasked;
    unasked.keys.set_default(known_.with.m_key);
    unasked.own_m_key = known_.with.m_key;
    BOOST_OUTCOME_CO_TRY(traps_, madrigal::smp_server::open(known_.port, unasked));
    madrigal::mastership_options who;
    who.priority = known_.with.priority;
    who.sm_key = known_.with.sm_key;
    who.pace.poll_interval = known_.with.poll_interval;
    who.pace.poll_failures = known_.with.poll_failures;
    who.questions.keys.set_default(known_.with.m_key);
    BOOST_OUTCOME_CO_TRY(mastership_, madrigal::mastership::open(known_.port, traps_, who));
    co_return madrigal::outcome::success();
}

asio::awaitable<void> manager::take_duties()
{
    while (!stopping_) {
        auto const duty = co_await mastership_.next();
        if (!duty)
            break;
        on_duty(duty.value());
    }
}

void manager::on_duty(sm_duty duty)
{
    static constexpr std::array names{"", "now discovering", "now master", "now standby", "now not active"};
    spdlog::info("{}: {}", name(), names[static_cast<std::size_t>(duty)]);
    duty_ = duty;
    new_master_ = duty == sm_duty::configure;
    sweep_wanted_ = duty == sm_duty::configure || duty == sm_duty::discover;
    if (duty != sm_duty::configure && known_.administration) {
        known_.administration.close();
        known_.written.clear(); // others write the tables from now on
    }
    wake();
}

asio::awaitable<bool> manager::work(bool once)
{
    while (!stopping_) {
        auto const acted = co_await act();
        if (stopping_)
            break;
        if (!acted && acted.error().code() == errc::device_gone) {
            if (once || !co_await come_back())
                co_return false;
        } else if (!acted) {
            spdlog::error("{}: {}", name(), acted.error().message());
            if (once)
                co_return false;
            next_look_ = known_.port.time().now() + known_.with.sweep_interval;
            sweep_wanted_ = false;
            complete_ = false;
        }
        if (once && times_up_ != 0)
            co_return complete_;
        if (once && (duty_ == sm_duty::stand_by || duty_ == sm_duty::rest)) {
            spdlog::error("{}: another subnet manager is the master", name());
            co_return false;
        }
    }
    co_return !once;
}

/// The most urgent thing that is to be done, or waiting for one.
asio::awaitable<madrigal::result<void>> manager::act()
{
    bool const master = duty_ == sm_duty::configure;
    if (sweep_wanted_ && duty_ == sm_duty::discover) {
        sweep_wanted_ = false;
        co_return co_await discover();
    }
    if (sweep_wanted_ && master) {
        sweep_wanted_ = false;
        co_return co_await configure_all();
    }
    if (groups_changed_ && master && known_.now) {
        co_return co_await program_groups();
    }
    if (master && known_.port.time().now() >= next_look_)
        co_return co_await look_for_changes();
    alarm_->arm(master ? next_look_ : madrigal::never);
    quiet_ = true;
    co_await changed_.async_wait(asio::as_tuple(asio::use_awaitable));
    quiet_ = false;
    co_return madrigal::outcome::success();
}

/// Subnet administration, as long as this subnet manager is the master.
asio::awaitable<void> manager::serve()
{
    auto const why = co_await known_.administration.run();
    if (why != errc::agent_closed)
        spdlog::warn("{}: subnet administration has ended: {}", name(), why.message());
}

/// Waits for the device.
asio::awaitable<bool> manager::come_back()
{
    spdlog::warn("{}: the device is gone; waiting for it", name());
    claim_.release();
    known_.administration.close();
    known_.written.clear();
    fresh_.reset();
    auto const back = co_await known_.port.async_reopen(std::chrono::hours{24 * 365}, madrigal::as_result);
    if (!back) {
        if (!stopping_)
            spdlog::error("{}: {}", name(), back.error().message());
        co_return false;
    }
    auto claim = known_.port.become_sm();
    if (claim)
        claim_ = std::move(claim).value();
    else
        spdlog::warn("{}", claim.error().message());
    sweep_again();
    co_return true;
}

} // namespace sm
