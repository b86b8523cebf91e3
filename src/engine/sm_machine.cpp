#include <madrigal/engine/sm_machine.hpp>

#include <madrigal/wire/status.hpp>

#include <algorithm>
#include <utility>

namespace madrigal::engine {
namespace {

bool is_acting(sm_info const& one) noexcept
{
    return one.state == sm_state::discovering || one.state == sm_state::standby || one.state == sm_state::master;
}

/// Who says what (IBA 14.4.1): a master gives orders; ACKNOWLEDGE comes from who is becoming one.
bool may_say(sm_control what, sm_state sender) noexcept
{
    if (what == sm_control::acknowledge)
        return sender == sm_state::standby || sender == sm_state::master;
    return sender == sm_state::master;
}

/// `never` for a time that the clock cannot count to.
time_point after(time_point now, duration how_long) noexcept
{
    return how_long < never - now ? now + how_long : never;
}

} // namespace

std::string to_string(sm_duty value)
{
    switch (value) {
    case sm_duty::none: return "None";
    case sm_duty::discover: return "Discover";
    case sm_duty::configure: return "Configure";
    case sm_duty::stand_by: return "StandBy";
    case sm_duty::rest: return "Rest";
    }
    return std::to_string(static_cast<unsigned>(value));
}

sm_machine::sm_machine(sm_identity who, sm_options options) noexcept : who_{who}, options_{options}
{
    set_priority(who.priority);
    options_.poll_failures = std::max(options_.poll_failures, 1U);
    // Time must pass between two questions.
    options_.poll_interval = std::max(options_.poll_interval, duration{std::chrono::milliseconds{1}});
    options_.handover_interval = std::max(options_.handover_interval, duration{std::chrono::milliseconds{1}});
}

sm_info sm_machine::info(bool with_sm_key) const noexcept
{
    return {.port_guid = who_.port_guid,
        .sm_key = with_sm_key ? who_.sm_key : 0,
        .activity_count = activity_,
        .priority = who_.priority,
        .state = state_};
}

bool sm_machine::trusts(sm_info const& other) const noexcept
{
    return who_.sm_key == 0 || other.sm_key == who_.sm_key;
}

std::optional<sm_peer> sm_machine::watched() const noexcept
{
    return watch_ == watch::nobody ? std::nullopt : std::optional{watched_};
}

void sm_machine::enter(sm_state next) noexcept
{
    state_ = next;
    watch_nobody();
    offered_to_ = guid{};
    taken_from_ = guid{};
    if (next == sm_state::master)
        ++counters_.takeovers;
}

void sm_machine::watch_nobody() noexcept
{
    watch_ = watch::nobody;
    ticket_ = 0;
    deadline_ = never;
}

void sm_machine::watch_peer(watch why, sm_peer const& whom) noexcept
{
    watch_nobody();
    watch_ = why;
    watched_ = whom;
    bad_answers_ = 0;
}

sm_step sm_machine::look(time_point now) noexcept
{
    enter(sm_state::discovering);
    postponed_ = 0;
    return look_again(now);
}

sm_step sm_machine::look_again(time_point now) noexcept
{
    deadline_ = after(now, options_.poll_interval); // by then the sweep may have failed
    return {.duty = sm_duty::discover};
}

sm_step sm_machine::take_over() noexcept
{
    enter(sm_state::master);
    return {.duty = sm_duty::configure};
}

sm_step sm_machine::stand_by(time_point now, sm_peer const& whom) noexcept
{
    enter(sm_state::standby);
    watch_peer(watch::above, whom);
    auto step = ask(now, sm_ask::poll, options_.poll_interval);
    step.duty = sm_duty::stand_by;
    return step;
}

sm_step sm_machine::ask(time_point now, sm_ask what, duration again) noexcept
{
    if (++last_ticket_ == 0)
        ++last_ticket_;
    ticket_ = last_ticket_;
    asked_ = what;
    deadline_ = after(now, again);
    count_activity();
    return {.ask = what, .ticket = ticket_, .to = watched_, .own = info()};
}

sm_step sm_machine::start(time_point now) noexcept
{
    return look(now);
}

sm_step sm_machine::on_sweep(time_point now, std::span<sm_peer const> others, std::size_t silent) noexcept
{
    count_activity();
    taken_from_ = guid{};
    auto const own = info();
    sm_peer const* master = nullptr; // the first by rank, likewise the others
    sm_peer const* before = nullptr; // before us
    sm_peer const* heir = nullptr;   // before us, and able to take over
    auto const prefer = [](sm_peer const*& best, sm_peer const& one) {
        if (best == nullptr || outranks(one.info, best->info))
            best = &one;
    };
    for (auto const& one : others) {
        // A GUID of 0 names nobody, and would go before everybody.
        if (one.info.port_guid == who_.port_guid || one.info.port_guid == guid{} || !is_acting(one.info))
            continue;
        if (state_ == sm_state::master && one.info.state == sm_state::master)
            ++counters_.masters_seen;
        if (!trusts(one.info)) {
            ++counters_.foreign;
            continue;
        }
        if (one.info.state == sm_state::master)
            prefer(master, one);
        if (!outranks(one.info, own))
            continue;
        prefer(before, one);
        if (one.info.state != sm_state::discovering)
            prefer(heir, one);
    }
    switch (state_) {
    case sm_state::discovering:
        // A master behind us is stood by too: it will see us, and hand over.
        if (auto const* const above = master != nullptr ? master : before)
            return stand_by(now, *above);
        if (silent != 0 && postponed_ < options_.poll_failures) {
            ++postponed_;
            ++counters_.postponed;
            deadline_ = after(now, options_.poll_interval);
            break;
        }
        return take_over();
    case sm_state::master: return sweep_as_master(now, heir, master);
    case sm_state::standby:
    case sm_state::not_active: break; // of a sweep that was under way when that came
    }
    return {};
}

sm_step sm_machine::sweep_as_master(time_point now, sm_peer const* heir, sm_peer const* master) noexcept
{
    if (auto const alone = std::exchange(left_alone_, guid{}); heir != nullptr && heir->info.port_guid == alone) {
        watch_nobody();
        return {};
    }
    auto const wanted = heir != nullptr ? watch::heir : master != nullptr ? watch::merging : watch::nobody;
    auto const* const whom = heir != nullptr ? heir : master;
    if (whom == nullptr) {
        watch_nobody();
        return {};
    }
    if (watch_ == wanted && watched_.info.port_guid == whom->info.port_guid) {
        watched_ = *whom; // perhaps another way to it
        return {};
    }
    if (heir != nullptr)
        return begin_handover(now, *heir);
    watch_peer(watch::merging, *master);
    give_up_ = after(now, options_.merge_limit);
    patient_ = true;
    return ask_merging(now);
}

sm_step sm_machine::begin_handover(time_point now, sm_peer const& heir) noexcept
{
    watch_peer(watch::heir, heir);
    give_up_ = after(now, options_.handover_limit);
    accepted_ = false;
    offered_to_ = heir.info.port_guid;
    return ask_heir(now, sm_ask::hand_over);
}

sm_step sm_machine::step_down(time_point now) noexcept
{
    ++counters_.handovers_given;
    return stand_by(now, sm_peer{watched_});
}

sm_step sm_machine::on_answer(time_point now, std::uint32_t ticket, sm_info const& answer) noexcept
{
    if (ticket == 0 || ticket != ticket_)
        return {};
    ticket_ = 0;
    bool const trusted = trusts(answer);
    if (!trusted)
        ++counters_.foreign;
    // Another SM may have come up there meanwhile.
    bool const expected = trusted && answer.port_guid == watched_.info.port_guid;
    if (expected)
        watched_.info = answer;
    switch (watch_) {
    case watch::nobody: return {};
    case watch::heir: return expected ? on_heir_answer(now, asked_, answer) : sm_step{};
    case watch::above:
    case watch::merging: break;
    }
    if (watch_ == watch::above) {
        // One that became the master's standby, or ours, no longer is who is to be stood by.
        bool const above = answer.state == sm_state::master || (is_acting(answer) && outranks(answer, info()));
        if (!expected || !above)
            return on_bad_answer(now);
        return on_good_answer(answer);
    }
    if (expected && (answer.state != sm_state::master || outranks(answer, info()))) {
        watch_nobody(); // it has given up, or goes before us now: the next sweep shows who is there
        return {.duty = sm_duty::configure};
    }
    return expected ? on_good_answer(answer) : on_bad_answer(now);
}

sm_step sm_machine::on_good_answer(sm_info const& answer) noexcept
{
    bad_answers_ = 0;
    if (answer.state != sm_state::master || !outranks(info(), answer))
        return {};
    count_activity();
    return {.ask = sm_ask::remind, .to = watched_, .own = info()};
}

sm_step sm_machine::on_failure(time_point now, std::uint32_t ticket) noexcept
{
    if (ticket == 0 || ticket != ticket_)
        return {};
    ticket_ = 0;
    return watch_ == watch::heir ? sm_step{} : on_bad_answer(now);
}

sm_step sm_machine::on_bad_answer(time_point now) noexcept
{
    ++counters_.polls_failed;
    if (++bad_answers_ < options_.poll_failures)
        return {};
    if (watch_ == watch::above)
        return look(now);
    watch_nobody();
    return {.duty = sm_duty::configure}; // what the other master had is ours now
}

sm_step sm_machine::on_heir_answer(time_point now, sm_ask asked, sm_info const& answer) noexcept
{
    if (!is_acting(answer) || !outranks(answer, info())) {
        watch_nobody(); // no heir any more
        return {};
    }
    if (asked == sm_ask::hand_over)
        accepted_ = true;
    // Not every subnet manager acknowledges; one that accepted and is the master says the same.
    if (accepted_ && answer.state == sm_state::master)
        return step_down(now);
    return asked == sm_ask::hand_over ? ask_heir(now, sm_ask::poll) : sm_step{};
}

sm_step sm_machine::ask_until_limit(time_point now, sm_ask what, duration again) noexcept
{
    auto const step = ask(now, what, again);
    deadline_ = std::min(deadline_, give_up_);
    return step;
}

sm_step sm_machine::ask_heir(time_point now, sm_ask what) noexcept
{
    return ask_until_limit(now, what, options_.handover_interval);
}

sm_step sm_machine::ask_merging(time_point now) noexcept
{
    return patient_ ? ask_until_limit(now, sm_ask::poll, options_.poll_interval)
                    : ask(now, sm_ask::poll, options_.poll_interval);
}

sm_step sm_machine::on_deadline(time_point now) noexcept
{
    if (now < deadline_)
        return {};
    if (state_ == sm_state::discovering)
        return look_again(now);
    if (watch_ == watch::heir)
        return on_heir_deadline(now);
    bool const merging = watch_ == watch::merging;
    bool const tired = merging && patient_ && now >= give_up_;
    if (tired)
        patient_ = false;
    if (ticket_ != 0) { // nobody has said what became of the last poll
        ticket_ = 0;
        auto const step = on_bad_answer(now);
        if (step.duty != sm_duty::none)
            return step;
    }
    auto step = merging ? ask_merging(now) : ask(now, sm_ask::poll, options_.poll_interval);
    if (tired)
        step.duty = sm_duty::configure;
    return step;
}

sm_step sm_machine::on_heir_deadline(time_point now) noexcept
{
    if (now >= give_up_) {
        ++counters_.handovers_failed;
        left_alone_ = watched_.info.port_guid;
        watch_nobody();
        return {};
    }
    return ask_heir(now, sm_ask::hand_over);
}

sm_step sm_machine::acknowledge(sm_duty duty, sm_peer const& to) noexcept
{
    count_activity();
    auto own = info();
    own.state = sm_state::standby; // peers take ACKNOWLEDGE from nobody else, whatever its sender is by now
    return {.duty = duty, .ask = sm_ask::acknowledge, .to = to, .own = own};
}

sm_control_answer sm_machine::refuse() noexcept
{
    ++counters_.controls_refused;
    return {.status = mad_status::invalid_value};
}

sm_control_answer sm_machine::on_control(time_point now, sm_control what, sm_peer const& from) noexcept
{
    if (from.info.port_guid == who_.port_guid || from.info.port_guid == guid{} || !may_say(what, from.info.state))
        return refuse();
    if (!trusts(from.info)) {
        ++counters_.foreign;
        return refuse();
    }
    bool const standby = state_ == sm_state::standby;
    switch (what) {
    case sm_control::handover: return on_handover(now, from);
    case sm_control::acknowledge:
        if (state_ == sm_state::master && from.info.port_guid == offered_to_) {
            watched_ = from;
            return {.step = step_down(now)};
        }
        return standby ? sm_control_answer{} : refuse(); // it has been seen to be the master before
    case sm_control::disable:
        if (standby) {
            enter(sm_state::not_active);
            return {.step = {.duty = sm_duty::rest}};
        }
        return state_ == sm_state::not_active ? sm_control_answer{} : refuse();
    case sm_control::standby:
        if (state_ == sm_state::not_active)
            return {.step = stand_by(now, from)};
        return standby ? sm_control_answer{} : refuse();
    case sm_control::discover:
        if (standby)
            return {.step = look(now)};
        return state_ == sm_state::discovering ? sm_control_answer{} : refuse();
    }
    return refuse();
}

sm_control_answer sm_machine::on_handover(time_point now, sm_peer const& from) noexcept
{
    auto duty = sm_duty::configure;
    if (state_ == sm_state::master)
        ++counters_.masters_seen;
    switch (state_) {
    case sm_state::not_active: return refuse();
    case sm_state::discovering:
    case sm_state::standby: duty = take_over().duty; break;
    case sm_state::master:
        if (from.info.port_guid == taken_from_ && now < taken_until_)
            return {.step = acknowledge(sm_duty::none, from)}; // the first ACKNOWLEDGE was lost
        if (watch_ == watch::heir && watched_.info.port_guid != from.info.port_guid)
            duty = sm_duty::none; // who is about to be the master will see to it
        else if (watch_ == watch::heir && outranks(from.info, info()))
            return refuse(); // each wants the other to have it: the one before has it
        else
            watch_nobody();
        break;
    }
    ++counters_.handovers_taken;
    taken_from_ = from.info.port_guid;
    taken_until_ = after(now, options_.handover_limit);
    return {.step = acknowledge(duty, from)};
}

} // namespace madrigal::engine
