// Which of several subnet managers is the master: SMInfo's state machine, without I/O and without a clock.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/wire/attributes/sm_info.hpp>
#include <madrigal/wire/sm_state.hpp>
#include <madrigal/wire/types.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace madrigal::engine {

/// Who a subnet manager is. Numbers in host byte order.
struct sm_identity {
    guid port_guid;
    std::uint64_t sm_key = 0;  ///< 0: it trusts everybody
    std::uint8_t priority = 0; ///< 0 to 15, of which 15 is the highest
};

/// How patient it is.
struct sm_options {
    duration poll_interval = std::chrono::seconds{10}; ///< between two questions to the master, or two sweeps for one
    unsigned poll_failures = 4; ///< bad answers in a row after which it counts as dead, or sweeps with a silent SM
    duration handover_interval = std::chrono::seconds{1}; ///< between two attempts to hand over
    duration handover_limit = std::chrono::seconds{10};   ///< after which the peer is left alone for one sweep
    duration merge_limit = std::chrono::seconds{10}; ///< for a master behind it to hand over, before it configures all
};

/// Another subnet manager: what it says of itself, and a number that means something to the driver only.
struct sm_peer {
    sm_info info;
    std::uint32_t where = 0;
};

/// Whether `a` goes before `b`: by priority, then by the lower port GUID (IBA 14.4.1).
[[nodiscard]] constexpr bool outranks(sm_info const& a, sm_info const& b) noexcept
{
    return a.priority != b.priority ? a.priority > b.priority : a.port_guid < b.port_guid;
}

/// What to do with the subnet from now on.
enum class sm_duty : std::uint8_t {
    none,      ///< what was to be done before
    discover,  ///< sweep without changing anything, then `on_sweep`; said again as long as that does not come
    configure, ///< master: sweep and configure, and again when there is cause; `on_sweep` after each sweep
    stand_by,  ///< somebody else is the master: leave the subnet alone
    rest,      ///< the same, and take no part until the master says otherwise
};

/// `None`, `Discover`, `Configure`, `StandBy`, `Rest`.
[[nodiscard]] std::string to_string(sm_duty value);

/// What to ask another subnet manager.
enum class sm_ask : std::uint8_t {
    nothing,
    poll,        ///< Get(SMInfo); then `on_answer` or `on_failure`
    hand_over,   ///< Set(SMInfo) with HANDOVER; likewise
    acknowledge, ///< Set(SMInfo) with ACKNOWLEDGE; what becomes of it need not be reported
    remind,      ///< trap 144, "the priority of an SM has changed", to a master behind us; likewise
};

/// The next thing to do: at most one new duty, and at most one thing to ask.
struct sm_step {
    sm_duty duty = sm_duty::none;
    sm_ask ask = sm_ask::nothing;
    std::uint32_t ticket = 0; ///< to be given back with the outcome of `ask`
    sm_peer to{};             ///< whom to ask
    sm_info own{};            ///< what a Set carries
};

/// What a Set(SMInfo) is answered with (host byte order), and what follows.
struct sm_control_answer {
    std::uint16_t status = 0;
    sm_step step{};
};

/// What has happened so far.
struct sm_counters {
    std::uint64_t takeovers = 0;        ///< became the master
    std::uint64_t postponed = 0;        ///< did not yet, because of one that is silent
    std::uint64_t handovers_taken = 0;  ///< because another master handed over
    std::uint64_t handovers_given = 0;  ///< handed over
    std::uint64_t handovers_failed = 0; ///< the peer never took over
    std::uint64_t polls_failed = 0;     ///< polls without an answer, or with one that proves nothing
    std::uint64_t controls_refused = 0; ///< of other SMs, for any reason
    std::uint64_t foreign = 0;          ///< SMInfo with another SM_Key
    /// Another master was seen by a sweep while this was one, whatever its SM_Key, or has handed over. Switches may
    /// have been written by it, so what this one has written may be there no more.
    std::uint64_t masters_seen = 0;
};

/// One subnet manager among others (IBA 14.4.1).
///
///            start                    nobody goes before us, no master
///              |        +------------------------------------------------------+
///              v        |                                                      v
///         +-------------+     HANDOVER (*)                              +------------+
///         | Discovering |---------------------------------------------->|   Master   |--+ HANDOVER: two subnets
///         +-------------+                                               +------------+<-+ have become one
///     a master, |    ^ the master is silent, or is none any more,         ^       |
///     or one    |    | or DISCOVER                                        |       | ACKNOWLEDGE, or who was handed
///     before us v    |                                                    |       | over to answers as Master
///         +-------------+     HANDOVER                                    |       |
///         |   Standby   |-------------------------------------------------+       |
///         |             |<--------------------------------------------------------+
///         +-------------+
///       DISABLE |    ^ STANDBY
///               v    |
///         +-------------+
///         |  NotActive  |
///         +-------------+
///
/// While it looks it says so again every `poll_interval`: a sweep that fails is no end. Where a sweep has found
/// somebody who does not say what he is, a master too busy for it perhaps, it does not take over yet, but looks again,
/// for `poll_failures` such sweeps.
///
/// A master that sees one before it hands over, again and again for `handover_limit`, and stays the master until the
/// other one has it. One that has not taken it by then is not offered it after the next sweep, which so is this one's
/// to configure by, but after the one that follows. Not everybody acknowledges (OpenSM does not), so who has answered
/// HANDOVER well is asked at once whether it is the master: it must not find this one to be another master meanwhile. A
/// master that sees another one behind it waits for that one's HANDOVER, but for no longer than `merge_limit`: then it
/// is to configure, and goes on asking and reminding that one. Who waits for a master behind it, as a standby or as
/// another master, reminds it after every poll, as it may not have swept since. All else a master is told is refused
/// with status 0x1C, as is everything that a state does not have above; what is only said a second time, because the
/// answer was lost, is answered well and changes nothing. A HANDOVER is said a second time as long as no sweep has been
/// reported since the first, and no longer than `handover_limit`; after that its sender may have been the master once
/// more, so that everything is to be configured again.
///
/// (*) A subnet manager that does not wait for ACKNOWLEDGE stands by from then on; who answered it well and went on
/// looking would leave the subnet without a master meanwhile.
///
/// Alive is who answers, whether its ActCount moves or not: not every subnet manager counts, and to take one for dead
/// that the next sweep finds to be the master would help nobody. Its own moves, for those that look at it.
///
/// With an SM_Key of its own it trusts only who shows the same one: others it neither obeys nor hands over to, nor
/// stands by. Two that do not trust each other can be masters of one subnet, which `counters().foreign` and `trusts`
/// make known.
///
/// Early or repeated calls do no harm, nor does an outcome that comes late or never. Belongs to one thread at a time.
class sm_machine {
public:
    explicit sm_machine(sm_identity who, sm_options options = {}) noexcept;

    /// Begins to look, also once more: from NotActive too.
    [[nodiscard]] sm_step start(time_point now) noexcept;
    /// A sweep is over that has found these other SMs; itself among them is ignored. And so many that are there and do
    /// not say what they are.
    [[nodiscard]] sm_step on_sweep(time_point now, std::span<sm_peer const> others, std::size_t silent = 0) noexcept;
    /// Set(SMInfo) with this AttributeModifier and this sender.
    [[nodiscard]] sm_control_answer on_control(time_point now, sm_control what, sm_peer const& from) noexcept;
    /// What was asked was answered well, with this.
    [[nodiscard]] sm_step on_answer(time_point now, std::uint32_t ticket, sm_info const& answer) noexcept;
    /// What was asked was refused, or not answered.
    [[nodiscard]] sm_step on_failure(time_point now, std::uint32_t ticket) noexcept;
    /// It is `deadline()`, or later.
    [[nodiscard]] sm_step on_deadline(time_point now) noexcept;
    /// When `on_deadline` is to be called; `never` while there is nothing to wait for.
    [[nodiscard]] time_point deadline() const noexcept { return deadline_; }

    [[nodiscard]] sm_state state() const noexcept { return state_; }
    /// What it says of itself. Who is not to see the SM_Key is told 0 (IBA 14.2.5.13).
    [[nodiscard]] sm_info info(bool with_sm_key = true) const noexcept;
    /// One more thing done for the subnet: the activity counter moves on. Who answers SMInfo counts that too.
    void count_activity() noexcept { ++activity_; }
    /// Counts from the next comparison on.
    void set_priority(std::uint8_t priority) noexcept { who_.priority = priority & 15U; }

    /// Whether another SM may tell this one what to do, or be told.
    [[nodiscard]] bool trusts(sm_info const& other) const noexcept;
    /// The SM that it stands by, waits for, or hands over to.
    [[nodiscard]] std::optional<sm_peer> watched() const noexcept;
    /// As a master: another one, or one before it, is to be heard first, and the subnet to be left as it is. Ends when
    /// that is over, one way or the other, or after a limit.
    [[nodiscard]] bool waits() const noexcept
    {
        return watch_ == watch::heir || (watch_ == watch::merging && patient_);
    }
    [[nodiscard]] sm_counters const& counters() const noexcept { return counters_; }

private:
    /// Why another SM is being asked.
    enum class watch : std::uint8_t {
        nobody,
        above,   ///< Standby: is it alive?
        merging, ///< Master: another master, behind us; does it hand over?
        heir,    ///< Master: one before us; has it taken over?
    };

    void enter(sm_state next) noexcept;
    void watch_nobody() noexcept;
    void watch_peer(watch why, sm_peer const& whom) noexcept;
    [[nodiscard]] sm_step look(time_point now) noexcept;
    [[nodiscard]] sm_step look_again(time_point now) noexcept;
    [[nodiscard]] sm_step take_over() noexcept;
    [[nodiscard]] sm_step stand_by(time_point now, sm_peer const& whom) noexcept;
    [[nodiscard]] sm_step begin_handover(time_point now, sm_peer const& heir) noexcept;
    [[nodiscard]] sm_step step_down(time_point now) noexcept;
    [[nodiscard]] sm_step sweep_as_master(time_point now, sm_peer const* heir, sm_peer const* master) noexcept;
    [[nodiscard]] sm_step ask(time_point now, sm_ask what, duration again) noexcept;
    [[nodiscard]] sm_step ask_until_limit(time_point now, sm_ask what, duration again) noexcept;
    [[nodiscard]] sm_step ask_heir(time_point now, sm_ask what) noexcept;
    [[nodiscard]] sm_step ask_merging(time_point now) noexcept;
    [[nodiscard]] sm_step on_good_answer(sm_info const& answer) noexcept;
    [[nodiscard]] sm_step acknowledge(sm_duty duty, sm_peer const& to) noexcept;
    [[nodiscard]] sm_step on_bad_answer(time_point now) noexcept;
    [[nodiscard]] sm_step on_heir_answer(time_point now, sm_ask asked, sm_info const& answer) noexcept;
    [[nodiscard]] sm_step on_heir_deadline(time_point now) noexcept;
    [[nodiscard]] sm_control_answer on_handover(time_point now, sm_peer const& from) noexcept;
    [[nodiscard]] sm_control_answer refuse() noexcept;

    sm_identity who_;
    sm_options options_;
    sm_counters counters_;
    sm_state state_ = sm_state::discovering;
    unsigned postponed_ = 0; // sweeps since it began to look
    std::uint32_t activity_ = 0;

    watch watch_ = watch::nobody;
    sm_peer watched_{};
    unsigned bad_answers_ = 0; // in a row
    std::uint32_t last_ticket_ = 0;
    std::uint32_t ticket_ = 0; // of what is being asked; 0: nothing
    sm_ask asked_ = sm_ask::nothing;
    time_point deadline_ = never;

    time_point give_up_ = never; // handing over, or waiting for that
    bool accepted_ = false;      // the heir has answered HANDOVER well
    bool patient_ = false;       // with a master behind it
    guid offered_to_;            // may acknowledge, however late
    guid left_alone_;            // by the next sweep
    guid taken_from_;            // and may say so again until then
    time_point taken_until_ = never;
};

} // namespace madrigal::engine
