#include "engine/seeds.hpp"

#include <madrigal/engine/virtual_time.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::seeded;

TEST(VirtualTime, StartsAtAFixedTimeAndMovesWhenTold)
{
    virtual_time time;
    EXPECT_EQ(time.now(), virtual_time::start);
    EXPECT_NE(time.now(), time_point{});
    EXPECT_EQ(time.next(), never);
    EXPECT_FALSE(time.advance_to_next());
    time.advance(5ms);
    EXPECT_EQ(time.now(), virtual_time::start + 5ms);
    time.advance(-5ms);
    EXPECT_EQ(time.now(), virtual_time::start + 5ms);
}

TEST(VirtualTime, FiresAlarmsInOrderEachAtItsTime)
{
    virtual_time time;
    auto const start = time.now();
    std::vector<std::pair<char, duration>> fired;
    auto note = [&](char name) { return [&, name] { fired.emplace_back(name, time.now() - start); }; };
    auto a = time.make_alarm(note('a'));
    auto b = time.make_alarm(note('b'));
    auto c = time.make_alarm(note('c'));
    a->arm(start + 3ms);
    b->arm(start + 1ms);
    c->arm(start + 3ms);
    EXPECT_EQ(time.next(), start + 1ms);
    EXPECT_TRUE(fired.empty()) << "never from within arm";
    time.advance(2ms);
    EXPECT_THAT(fired, ElementsAre(std::pair{'b', duration{1ms}}));
    time.advance(1ms); // a deadline equal to now is due
    EXPECT_THAT(fired,
        ElementsAre(std::pair{'b', duration{1ms}}, std::pair{'a', duration{3ms}}, std::pair{'c', duration{3ms}}));
    EXPECT_EQ(time.armed(), 0U);
    time.advance(1h);
    EXPECT_EQ(fired.size(), 3U) << "once";
}

TEST(VirtualTime, ArmingReplacesAndNeverDisarms)
{
    virtual_time time;
    int fired = 0;
    auto alarm = time.make_alarm([&] { ++fired; });
    alarm->arm(time.now() + 1ms);
    alarm->arm(time.now() + 5ms);
    time.advance(4ms);
    EXPECT_EQ(fired, 0);
    alarm->arm(never);
    time.advance(1h);
    EXPECT_EQ(fired, 0);
    alarm->arm(time.now() + 1ms);
    alarm.reset();
    time.advance(1h);
    EXPECT_EQ(fired, 0);
}

TEST(VirtualTime, ThePastIsDueAtOnceButNotInsideArm)
{
    virtual_time time;
    int fired = 0;
    auto alarm = time.make_alarm([&] { ++fired; });
    auto const before = time.now();
    alarm->arm(before - 1h);
    EXPECT_EQ(fired, 0);
    EXPECT_EQ(time.next(), before - 1h);
    time.advance(0ms);
    EXPECT_EQ(fired, 1);
    EXPECT_EQ(time.now(), before);
    alarm->arm(before - 1h);
    EXPECT_TRUE(time.advance_to_next());
    EXPECT_EQ(fired, 2);
    EXPECT_EQ(time.now(), before) << "the clock never goes back";
}

TEST(VirtualTime, AnAlarmMayArmItselfAgain)
{
    virtual_time time;
    auto const start = time.now();
    std::vector<duration> ticks;
    std::unique_ptr<alarm> periodic;
    periodic = time.make_alarm([&] {
        ticks.push_back(time.now() - start);
        periodic->arm(time.now() + 10ms);
    });
    periodic->arm(start + 10ms);
    time.advance(35ms);
    EXPECT_THAT(ticks, ElementsAre(10ms, 20ms, 30ms));
    EXPECT_EQ(time.now(), start + 35ms);
    EXPECT_TRUE(time.advance_to_next());
    EXPECT_EQ(ticks.size(), 4U);
    EXPECT_EQ(time.now(), start + 40ms);
}

TEST(VirtualTime, OneArmedForNowByACallbackWaitsForTheNextJump)
{
    virtual_time time;
    int fired = 0;
    std::unique_ptr<alarm> eager;
    eager = time.make_alarm([&] {
        if (++fired < 3)
            eager->arm(time.now() - 1ms);
    });
    eager->arm(time.now() + 1ms);
    EXPECT_TRUE(time.advance_to_next());
    EXPECT_EQ(fired, 1);
    time.advance(0ms); // all that this moment brings
    EXPECT_EQ(fired, 3);
    EXPECT_FALSE(time.advance_to_next());
}

TEST(VirtualTime, AMomentWithoutEndIsAnError)
{
    virtual_time time;
    std::unique_ptr<alarm> endless;
    endless = time.make_alarm([&] { endless->arm(time.now()); });
    endless->arm(time.now());
    EXPECT_THROW(time.advance(1ms), std::logic_error);
}

TEST(VirtualTime, ACallbackMayDisarmAndDestroyAlarmsItsOwnToo)
{
    virtual_time time;
    int fired = 0;
    std::unique_ptr<alarm> other = time.make_alarm([&] { ++fired; });
    std::unique_ptr<alarm> disarmed = time.make_alarm([&] { ++fired; });
    std::unique_ptr<alarm> self;
    auto held = std::make_shared<int>(0);
    self = time.make_alarm([&, held] {
        other.reset();
        disarmed->arm(never);
        self.reset();
        *held = ++fired; // the callback's own state is still there
    });
    for (auto* armed : {self.get(), other.get(), disarmed.get()})
        armed->arm(time.now() + 1ms);
    time.advance(1h);
    EXPECT_EQ(*held, 1);
    EXPECT_EQ(held.use_count(), 1) << "and is gone afterwards";
}

class RandomVirtualTime : public seeded {};

TEST_P(RandomVirtualTime, FiresEveryAlarmOnceAndInOrder)
{
    virtual_time time;
    struct entry {
        std::unique_ptr<alarm> handle;
        time_point when = never;
    };
    std::vector<entry> alarms(50);
    time_point last = time.now();
    std::size_t fired = 0;
    for (auto& each : alarms)
        each.handle = time.make_alarm([&] {
            ++fired;
            ASSERT_NE(each.when, never) << "fired without being armed";
            ASSERT_GE(time.now(), last);
            ASSERT_EQ(time.now(), std::max(each.when, last));
            last = time.now();
            each.when = never;
            if (pick(3) == 0) {
                auto& other = alarms[pick(alarms.size())];
                other.when = time.now() + duration{1 + pick(1'000'000)};
                other.handle->arm(other.when);
            }
        });
    for (int step = 0; step < 20'000; ++step) {
        switch (pick(4)) {
        case 0:
        case 1: {
            auto& chosen = alarms[pick(alarms.size())];
            chosen.when = pick(10) == 0 ? never : time.now() + duration{pick(5'000'000)};
            chosen.handle->arm(chosen.when);
            break;
        }
        case 2:
            last = time.now();
            time.advance_to_next();
            break;
        default:
            last = time.now();
            time.advance(duration{pick(3'000'000)});
            for (auto const& each : alarms)
                ASSERT_GT(each.when, time.now());
        }
        auto earliest = never;
        for (auto const& each : alarms)
            earliest = std::min(earliest, each.when);
        ASSERT_EQ(time.next(), earliest);
    }
    EXPECT_GT(fired, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomVirtualTime, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
