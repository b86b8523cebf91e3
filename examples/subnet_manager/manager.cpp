#include "manager.hpp"

#include "administration.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace sm {

namespace {

constexpr auto for_ever = std::chrono::hours{24 * 365};

} // namespace

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
    BOOST_OUTCOME_TRY(auto on_behalf, open_client(port, with));
    std::unique_ptr<manager> made{new manager{std::move(port), with, std::move(client), std::move(lids)}};
    made->known_.on_behalf = std::move(on_behalf);
    return made;
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
}

std::string manager::name() const
{
    return fmt::format("{} port {}", known_.port.attributes().ca_name, known_.port.attributes().number);
}

void manager::look_again_after(madrigal::duration time)
{
    next_look_ = known_.port.time().now() + time;
}

void manager::close_administration()
{
    known_.administration.close();
    known_.administration = {};
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

void manager::configure_anew()
{
    write_anew_ = true;
    sweep_again();
}

void manager::stop()
{
    stopping_ = true;
    end_of_waits_.emit(asio::cancellation_type::terminal);
    mastership_.close();
    traps_.close();
    close_administration();
    known_.client.close();
    known_.on_behalf.close();
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
    bool good = !begun && stopping_ && !once;
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

/// Sets IsSM, which only one program at a time can.
asio::awaitable<madrigal::result<void>> manager::claim()
{
    auto got = known_.port.become_sm();
    if (!got && !stopping_) { // a wait that begins after `stop` would not hear of it
        spdlog::warn("{}; waiting for it", got.error().message());
        got = co_await known_.port.async_become_sm(
            for_ever, madrigal::as_result(asio::bind_cancellation_slot(end_of_waits_.slot(), asio::use_awaitable)));
    }
    if (!got)
        co_return got.error();
    claim_ = std::move(got).value();
    co_return madrigal::outcome::success();
}

asio::awaitable<madrigal::result<void>> manager::begin()
{
    BOOST_OUTCOME_CO_TRY(co_await claim());
    if (stopping_)
        co_return madrigal::error{errc::agent_closed};
    madrigal::smp_server_options unasked;
    unasked.keys.set_default(known_.with.m_key);
    unasked.own_m_key = known_.with.m_key;
    unasked.filter.window = std::chrono::milliseconds{200}; // a cable that comes back is not to wait for long
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
    if (duty == sm_duty::discover && duty == duty_)
        return sweep_again();
    static constexpr std::array names{"", "now discovering", "now master", "now standby", "now not active"};
    spdlog::info("{}: {}", name(), names[static_cast<std::size_t>(duty)]);
    duty_ = duty;
    new_master_ = duty == sm_duty::configure;
    sweep_wanted_ = duty == sm_duty::configure || duty == sm_duty::discover;
    earliest_sweep_ = {};
    if (duty == sm_duty::stand_by || duty == sm_duty::rest) {
        stood_by_ = true;
        fresh_.reset(); // old by the time that we may need it
    }
    if (duty != sm_duty::configure && known_.administration)
        known_.administration.pause(); // clients shall ask the master
    wake();
}

asio::awaitable<bool> manager::work(bool once)
{
    while (!stopping_) {
        auto const acted = co_await act();
        if (stopping_)
            break;
        if (!acted && acted.error().code() == errc::device_gone) {
            if (once || (!co_await come_back() && !stopping_))
                co_return false;
        } else if (!acted) {
            spdlog::error("{}: {}", name(), acted.error().message());
            if (once)
                co_return false;
            look_again_after(known_.with.sweep_interval);
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
    auto const now = known_.port.time().now();
    if (duty_ == sm_duty::discover && (sweep_wanted_ || now >= next_look_)) {
        sweep_wanted_ = false;
        look_again_after(known_.with.sweep_interval);
        co_return co_await discover();
    }
    if (is_master()) {
        if (sweep_wanted_ && now >= earliest_sweep_) {
            sweep_wanted_ = false;
            co_return co_await configure_all();
        }
        if (now >= next_look_)
            co_return co_await look_for_changes();
        if (groups_changed_ && known_.now && now >= earliest_groups_)
            co_return co_await program_groups();
    }
    auto due = is_master() || duty_ == sm_duty::discover ? next_look_ : madrigal::never;
    if (is_master() && sweep_wanted_)
        due = std::min(due, earliest_sweep_);
    if (is_master() && groups_changed_)
        due = std::min(due, std::max(earliest_groups_, now));
    alarm_->arm(due);
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
    close_administration();
    fresh_.reset();
    duty_ = sm_duty::none; // others may have taken over: the next one is to look
    auto const back = co_await known_.port.async_reopen(
        for_ever, madrigal::as_result(asio::bind_cancellation_slot(end_of_waits_.slot(), asio::use_awaitable)));
    if (!back) {
        if (!stopping_)
            spdlog::error("{}: {}", name(), back.error().message());
        co_return false;
    }
    if (auto const claimed = co_await claim(); !claimed)
        co_return false;
    sweep_again();
    co_return true;
}

} // namespace sm
