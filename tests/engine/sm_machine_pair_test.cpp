// Subnet managers that talk to each other over a wire that a test may cut, until one of them is the master.
#include "engine/seeds.hpp"

#include <madrigal/engine/sm_machine.hpp>
#include <madrigal/engine/virtual_time.hpp>
#include <madrigal/wire/status.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace madrigal::engine {
namespace {

using testing::seeded;
using namespace std::chrono_literals;

constexpr auto sweep_takes = 500ms;
constexpr auto sweep_every = 20s; // of a master
constexpr auto flight = 1ms;
constexpr auto silence = 300ms; // after which a question counts as lost

/// SMs on one subnet, or on several that have not been joined yet.
class subnet {
public:
    struct manager {
        sm_machine machine;
        bool on = false;
        int part = 0; ///< who can reach whom
        int sweeps_wanted = 0;
        std::vector<sm_duty> duties;
    };

    explicit subnet(std::vector<sm_identity> const& who, sm_options const& pace = {})
    {
        for (auto const& one : who)
            all.push_back(std::make_unique<manager>(manager{.machine = sm_machine{one, pace}, .duties = {}}));
    }

    void start(std::size_t i)
    {
        all[i]->on = true;
        carry_out(i, all[i]->machine.start(now()));
    }
    void stop(std::size_t i) { all[i]->on = false; }

    /// Runs for so long.
    void run(duration how_long) { time.advance(how_long); }

    [[nodiscard]] std::vector<std::size_t> masters() const
    {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i != all.size(); ++i)
            if (all[i]->on && all[i]->machine.state() == sm_state::master)
                found.push_back(i);
        return found;
    }
    [[nodiscard]] time_point now() const { return time.now(); }

    engine::virtual_time time;
    std::vector<std::unique_ptr<manager>> all;
    /// Says whether what one asks another is lost on the way there, or its answer on the way back.
    std::function<bool(sm_ask what, std::size_t from, std::size_t to)> loses = [](auto...) { return false; };
    std::function<bool(sm_ask what, std::size_t from, std::size_t to)> loses_answer = [](auto...) { return false; };
    std::function<void(sm_ask what, std::size_t from, std::size_t to)> on_ask = [](auto...) {};

    /// One that goes on as a master if it is one then.
    void sweep_after(std::size_t i, duration how_long)
    {
        after(how_long, [this, i, wanted = all[i]->sweeps_wanted] {
            auto& one = *all[i];
            if (!one.on || wanted != one.sweeps_wanted)
                return;
            std::vector<sm_peer> seen;
            for (std::size_t other = 0; other != all.size(); ++other)
                if (other != i && all[other]->on && all[other]->part == one.part)
                    seen.push_back({all[other]->machine.info(), static_cast<std::uint32_t>(other)});
            bool const master = one.machine.state() == sm_state::master;
            carry_out(i, one.machine.on_sweep(now(), seen));
            if (master || one.machine.state() == sm_state::master)
                if (wanted == one.sweeps_wanted)
                    sweep_after(i, sweep_every);
        });
    }

private:
    void after(duration how_long, std::function<void()> what)
    {
        alarms_.push_back(time.make_alarm(std::move(what)));
        alarms_.back()->arm(now() + how_long);
    }

    void carry_out(std::size_t i, sm_step const& step)
    {
        auto& one = *all[i];
        if (step.duty != sm_duty::none) {
            one.duties.push_back(step.duty);
            ++one.sweeps_wanted; // one that was under way is not heard any more
            if (step.duty == sm_duty::discover || step.duty == sm_duty::configure)
                sweep_after(i, sweep_takes);
        }
        if (step.ask != sm_ask::nothing)
            ask(i, step);
        rearm(i);
    }
    void ask(std::size_t from, sm_step const& step)
    {
        auto const to = step.to.where;
        on_ask(step.ask, from, to);
        bool const lost = loses(step.ask, from, to);
        if (!lost)
            after(flight, [this, from, to, step] { arrive(from, to, step); });
        else
            after(silence, [this, from, step] { carry_out(from, all[from]->machine.on_failure(now(), step.ticket)); });
    }
    void arrive(std::size_t from, std::size_t to, sm_step const& step)
    {
        auto& asked = *all[to];
        std::uint16_t status = mad_status::ok;
        bool const there = asked.on && asked.part == all[from]->part;
        if (there && step.ask == sm_ask::remind) {
            if (asked.machine.state() == sm_state::master) {
                ++asked.sweeps_wanted;
                sweep_after(to, sweep_takes);
            }
        } else if (there && step.ask != sm_ask::poll) {
            auto const what = step.ask == sm_ask::hand_over ? sm_control::handover : sm_control::acknowledge;
            auto const answer = asked.machine.on_control(now(), what, {step.own, static_cast<std::uint32_t>(from)});
            status = answer.status;
            carry_out(to, answer.step);
        }
        if (!there || loses_answer(step.ask, from, to)) {
            after(silence, [this, from, step] { carry_out(from, all[from]->machine.on_failure(now(), step.ticket)); });
            return;
        }
        asked.machine.count_activity();
        after(flight, [this, from, step, status, info = asked.machine.info()] {
            auto& asker = *all[from];
            if (!asker.on)
                return;
            carry_out(from, status == mad_status::ok ? asker.machine.on_answer(now(), step.ticket, info)
                                                     : asker.machine.on_failure(now(), step.ticket));
        });
    }
    void rearm(std::size_t i)
    {
        auto const when = all[i]->machine.deadline();
        if (when == never)
            return;
        alarms_.push_back(time.make_alarm([this, i] {
            if (all[i]->on)
                carry_out(i, all[i]->machine.on_deadline(now()));
        }));
        alarms_.back()->arm(when);
    }

    std::vector<std::unique_ptr<alarm>> alarms_;
};

std::vector<sm_identity> two(std::uint8_t first, std::uint8_t second)
{
    return {{.port_guid = guid{100}, .sm_key = 1, .priority = first},
        {.port_guid = guid{200}, .sm_key = 1, .priority = second}};
}

TEST(TwoSubnetManagers, TheFirstByRankIsTheMasterWhoeverStartsFirst)
{
    struct one_case {
        std::uint8_t first, second;
        std::size_t master;
    };
    for (auto const& c : {one_case{9, 3, 0}, one_case{3, 9, 1}, one_case{5, 5, 0}})
        for (std::size_t const starts : {0U, 1U})
            for (auto const pause : {0ms, 100ms, 500ms, 700ms, 60'000ms}) {
                subnet s{two(c.first, c.second)};
                s.start(starts);
                s.run(pause);
                s.start(1 - starts);
                s.run(120s);
                EXPECT_EQ(s.masters(), std::vector{c.master})
                    << unsigned{c.first} << " and " << unsigned{c.second} << ", " << starts << " first, pause "
                    << pause.count() << " ms";
                EXPECT_EQ(s.all[1 - c.master]->machine.state(), sm_state::standby);
            }
}

TEST(TwoSubnetManagers, TheStandbyTakesOverFromOneThatDiesAndGivesItBack)
{
    subnet s{two(9, 3)};
    s.start(0);
    s.start(1);
    s.run(60s);
    ASSERT_EQ(s.masters(), std::vector<std::size_t>{0});
    s.stop(0);
    s.run(60s);
    EXPECT_EQ(s.masters(), std::vector<std::size_t>{1});
    s.start(0);
    s.run(60s);
    EXPECT_EQ(s.masters(), std::vector<std::size_t>{0});
    EXPECT_EQ(s.all[1]->machine.counters().handovers_given, 1U);
    EXPECT_EQ(s.all[0]->machine.counters().handovers_taken, 1U);
}

TEST(TwoSubnetManagers, OfTwoSubnetsThatAreJoinedBecomeOne)
{
    for (auto const priority : {std::uint8_t{3}, std::uint8_t{5}, std::uint8_t{9}}) {
        subnet s{two(5, priority)};
        s.all[1]->part = 1;
        s.start(0);
        s.run(7s);
        s.start(1);
        s.run(60s);
        ASSERT_EQ(s.masters().size(), 2U);
        auto const winner = priority > 5 ? 1U : 0U;
        auto const configured =
            std::count(s.all[winner]->duties.begin(), s.all[winner]->duties.end(), sm_duty::configure);
        s.all[1]->part = 0;
        s.run(60s);
        EXPECT_EQ(s.masters(), std::vector<std::size_t>{winner});
        EXPECT_GT(
            std::count(s.all[winner]->duties.begin(), s.all[winner]->duties.end(), sm_duty::configure), configured)
            << "the joined subnet is configured anew";
    }
}

TEST(TwoSubnetManagers, ConfiguresWhatIsJoinedAgainHoweverSoonAfterTheLastTime)
{
    sm_options fast;
    fast.poll_interval = sweep_takes + 100ms;
    fast.poll_failures = 2;
    int rejoined = 0;
    for (auto const apart : {2'000ms, 3'000ms, 6'000ms})
        for (auto joined = 700ms; joined <= 12'000ms; joined += 700ms) {
            subnet s{two(3, 9), fast};
            s.start(0);
            s.start(1);
            s.run(60s);
            ASSERT_EQ(s.masters(), std::vector<std::size_t>{1});
            for (int round = 0; round != 4; ++round) {
                s.all[1]->part = 1;
                s.run(apart);
                auto const wrote = s.all[0]->machine.state() == sm_state::master;
                s.all[1]->part = 0;
                auto const before = s.all[1]->duties.size();
                // The master behind the other one sweeps, and hands over.
                if (wrote) {
                    ++rejoined;
                    ++s.all[0]->sweeps_wanted;
                    s.sweep_after(0, 100ms);
                }
                s.run(joined);
                if (wrote) {
                    EXPECT_GT(s.all[1]->duties.size(), before)
                        << round << ": " << apart.count() << " ms apart, " << joined.count() << " ms together";
                }
            }
            s.run(60s);
            EXPECT_EQ(s.masters(), std::vector<std::size_t>{1});
        }
    EXPECT_GT(rejoined, 50);
}

/// Loses one in the course of a hand-over, after so many of its kind.
class LostInHandover : public ::testing::TestWithParam<std::tuple<sm_ask, bool, int>> {};

TEST_P(LostInHandover, StillEndsWithOneMaster)
{
    auto const [what, answer, how_many] = GetParam();
    subnet s{two(3, 9)};
    s.start(0);
    s.run(30s);
    auto left = how_many;
    auto const lose = [&left, what = what](
                          sm_ask asked, std::size_t, std::size_t) { return asked == what && left-- > 0; };
    (answer ? s.loses_answer : s.loses) = lose;
    s.start(1);
    s.run(180s);
    EXPECT_EQ(s.masters(), std::vector<std::size_t>{1});
    EXPECT_EQ(s.all[0]->machine.state(), sm_state::standby);
}

INSTANTIATE_TEST_SUITE_P(Losses, LostInHandover,
    ::testing::Combine(::testing::Values(sm_ask::hand_over, sm_ask::acknowledge, sm_ask::poll), ::testing::Bool(),
        ::testing::Values(1, 2, 5, 15)));

TEST(TwoSubnetManagers, NeverStandByEachOther)
{
    // The master's HANDOVER arrives while the one before it has just begun to stand by.
    for (auto late = 0ms; late <= 1'000ms; late += 10ms) {
        subnet s{two(3, 9)};
        s.start(0);
        s.run(20s + late);
        s.start(1);
        s.run(120s);
        EXPECT_EQ(s.masters(), std::vector<std::size_t>{1}) << late.count();
    }
}

class ManySubnetManagers : public seeded {};

TEST_P(ManySubnetManagers, AgreeOnTheFirstByRankWhateverWasLostBefore)
{
    std::vector<sm_identity> who;
    auto const count = 2 + pick(5);
    for (std::uint64_t i = 0; i != count; ++i)
        who.push_back({.port_guid = guid{1'000 - 7 * i}, .sm_key = 1, .priority = static_cast<std::uint8_t>(pick(3))});
    subnet s{who};
    for (std::size_t i = 0; i != count; ++i)
        s.all[i]->part = static_cast<int>(pick(2));
    auto loss = [this](auto...) { return pick(3) == 0; };
    s.loses = loss;
    s.loses_answer = loss;
    for (int round = 0; round != 30; ++round) {
        auto const i = pick(count);
        if (!s.all[i]->on)
            s.start(i);
        else if (pick(3) == 0)
            s.stop(i);
        else
            s.all[i]->part = static_cast<int>(pick(2));
        s.run(std::chrono::milliseconds{pick(15'000)});
    }
    s.loses = s.loses_answer = [](auto...) { return false; };
    for (auto& one : s.all)
        one->part = 0;
    for (std::size_t i = 0; i != count; ++i)
        if (!s.all[i]->on)
            s.start(i);
    s.run(300s);
    std::size_t first = 0;
    for (std::size_t i = 1; i != count; ++i)
        if (outranks(s.all[i]->machine.info(), s.all[first]->machine.info()))
            first = i;
    EXPECT_EQ(s.masters(), std::vector{first});
    for (std::size_t i = 0; i != count; ++i) {
        if (i != first) {
            EXPECT_EQ(s.all[i]->machine.state(), sm_state::standby) << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManySubnetManagers, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
