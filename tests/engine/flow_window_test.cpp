#include "engine/seeds.hpp"

#include <madrigal/engine/flow_window.hpp>

#include <algorithm>

namespace madrigal::engine {
namespace {

using testing::seeded;

void fill(flow_window& window)
{
    while (window.try_take()) {
    }
}

/// One window's worth of answers, each place taken again at once.
void answer_a_window(flow_window& window)
{
    fill(window);
    for (auto answers = window.size(); answers > 0; --answers) {
        window.on_answer(false);
        window.give_back();
        fill(window);
    }
}

TEST(FlowWindow, GivesAsManyPlacesAsItHas)
{
    flow_window window{{.size = 3}};
    EXPECT_TRUE(window.try_take());
    EXPECT_TRUE(window.try_take());
    EXPECT_EQ(window.free(), 1U);
    EXPECT_TRUE(window.try_take());
    EXPECT_FALSE(window.try_take());
    EXPECT_EQ(window.in_use(), 3U);
    window.give_back();
    EXPECT_TRUE(window.try_take());
}

TEST(FlowWindow, FixedStaysFixed)
{
    flow_window window{{.size = 8}};
    for (int i = 0; i < 100; ++i)
        answer_a_window(window);
    window.on_answer(true);
    window.on_timeout();
    EXPECT_EQ(window.size(), 8U);
}

TEST(FlowWindow, MendsImpossibleOptions)
{
    EXPECT_EQ(flow_window{{.size = 0}}.size(), 1U);
    EXPECT_EQ((flow_window{{.size = 0, .adaptive = true, .minimum = 0}}.size()), 1U);
    EXPECT_EQ((flow_window{{.size = 5000, .adaptive = true}}.size()), 1024U);
    EXPECT_EQ((flow_window{{.size = 5, .adaptive = true, .minimum = 10, .maximum = 2}}.size()), 10U);
    EXPECT_EQ(flow_window{{.size = 5000}}.size(), 5000U);
}

TEST(FlowWindow, GrowsByOneForEachWindowOfAnswersUpToTheMaximum)
{
    flow_window window{{.size = 10, .adaptive = true, .maximum = 13}};
    for (unsigned expected : {11U, 12U, 13U, 13U}) {
        answer_a_window(window);
        EXPECT_EQ(window.size(), expected);
    }
}

TEST(FlowWindow, DoesNotGrowWhileItIsNeverFull)
{
    flow_window window{{.size = 10, .adaptive = true}};
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(window.try_take());
        window.on_answer(false);
        window.give_back();
    }
    EXPECT_EQ(window.size(), 10U);
}

TEST(FlowWindow, GrowsWhenAnswersArriveAllAtOnce)
{
    flow_window window{{.size = 10, .adaptive = true}};
    for (int burst = 0; burst < 5; ++burst) {
        fill(window);
        while (window.in_use() > 0) {
            window.on_answer(false);
            window.give_back();
        }
    }
    EXPECT_GE(window.size(), 14U);
}

TEST(FlowWindow, HalvesOnALateAnswerAndOnATimeoutAlike)
{
    flow_window late{{.size = 64, .adaptive = true}};
    late.on_answer(true);
    EXPECT_EQ(late.size(), 32U);
    flow_window timed_out{{.size = 64, .adaptive = true}};
    timed_out.on_timeout();
    EXPECT_EQ(timed_out.size(), 32U);
}

TEST(FlowWindow, DecreasesOnceForOneWindowOfLosses)
{
    flow_window window{{.size = 64, .adaptive = true}};
    fill(window);
    for (int i = 0; i < 64; ++i) { // all that was on the wire when the first loss showed
        window.on_timeout();
        window.give_back();
    }
    EXPECT_EQ(window.size(), 32U);
    window.on_timeout();
    window.on_timeout();
    EXPECT_EQ(window.size(), 16U);
}

TEST(FlowWindow, AnswersInTimeEndTheTruceToo)
{
    flow_window window{{.size = 8, .adaptive = true}};
    window.on_timeout();
    for (int i = 0; i < 8; ++i)
        window.on_answer(false);
    window.on_timeout();
    EXPECT_EQ(window.size(), 2U);
}

TEST(FlowWindow, NeverShrinksBelowTheMinimum)
{
    flow_window window{{.size = 64, .adaptive = true, .minimum = 3}};
    for (int i = 0; i < 1000; ++i)
        window.on_timeout();
    EXPECT_EQ(window.size(), 3U);
}

TEST(FlowWindow, AShrunkWindowTakesNothingBack)
{
    flow_window window{{.size = 8, .adaptive = true}};
    fill(window);
    window.on_timeout();
    EXPECT_EQ(window.size(), 4U);
    EXPECT_EQ(window.in_use(), 8U);
    EXPECT_EQ(window.free(), 0U);
    for (int i = 0; i < 4; ++i) {
        EXPECT_FALSE(window.try_take());
        window.give_back();
    }
    EXPECT_FALSE(window.try_take());
    window.give_back();
    EXPECT_TRUE(window.try_take());
}

class RandomFlowWindow : public seeded {};

TEST_P(RandomFlowWindow, StaysWithinItsBoundsAndCountsItsPlaces)
{
    window_options const options{.size = 16, .adaptive = true, .minimum = 2, .maximum = 40};
    flow_window window{options};
    unsigned taken = 0;
    unsigned outcomes_since_decrease = 1000;
    unsigned size_at_decrease = 0;
    for (int step = 0; step < 100'000; ++step) {
        if (pick(2) == 0) {
            auto const got = window.try_take();
            ASSERT_EQ(got, taken < window.size());
            taken += got ? 1 : 0;
        } else if (taken > 0) {
            auto const before = window.size();
            switch (pick(50)) {
            case 0: window.on_timeout(); break;
            case 1: window.on_answer(true); break;
            default: window.on_answer(false);
            }
            if (window.size() < before) {
                ASSERT_GE(outcomes_since_decrease, size_at_decrease) << "twice within one window";
                ASSERT_EQ(window.size(), std::max(before / 2, options.minimum));
                outcomes_since_decrease = 0;
                size_at_decrease = before;
            } else
                ++outcomes_since_decrease;
            ASSERT_LE(window.size(), before + 1);
            window.give_back();
            --taken;
        }
        ASSERT_EQ(window.in_use(), taken);
        ASSERT_GE(window.size(), options.minimum);
        ASSERT_LE(window.size(), options.maximum);
    }
}

TEST(FlowWindow, LossesThatAreToleratedDoNotShrinkIt)
{
    flow_window window{{.size = 16, .adaptive = true, .maximum = 64, .tolerated_percent = 25}};
    for (int round = 0; round < 100; ++round) {
        fill(window);
        for (unsigned i = 0, size = window.in_use(); i != size; ++i) {
            window.on_answer(i % 5 == 4);
            window.give_back();
        }
    }
    EXPECT_EQ(window.size(), 64U);
}

TEST(FlowWindow, OneLossMoreThanIsToleratedHalvesIt)
{
    flow_window window{{.size = 16, .adaptive = true, .maximum = 64, .tolerated_percent = 25}};
    fill(window);
    for (int i = 0; i != 4 + 4; ++i) // a quarter, and the square root
        window.on_timeout();
    EXPECT_EQ(window.size(), 16U);
    window.on_timeout();
    EXPECT_EQ(window.size(), 8U);
}

TEST(FlowWindow, StartsQuicklyUntilItHasShrunk)
{
    flow_window window{{.size = 16, .adaptive = true, .maximum = 1024, .quick_start = true}};
    auto const round = [&] {
        fill(window);
        for (unsigned i = 0, size = window.in_use(); i != size; ++i) {
            window.on_answer(false);
            window.give_back();
        }
    };
    round();
    EXPECT_EQ(window.size(), 20U);
    round();
    EXPECT_EQ(window.size(), 25U);
    window.on_timeout();
    EXPECT_EQ(window.size(), 12U);
    for (int i = 0; i != 25; ++i)
        window.on_answer(false); // of what was sent before
    auto const small = window.size();
    round();
    EXPECT_LE(window.size(), small + 1);
}

TEST_P(RandomFlowWindow, SettlesWhereAFabricLosesNothing)
{
    // A fabric that loses what goes beyond 24 requests on the wire.
    flow_window window{{.size = 4, .adaptive = true}};
    std::uint64_t sum = 0;
    constexpr int rounds = 20'000;
    for (int round = 0; round < rounds; ++round) {
        fill(window);
        auto const lost = window.in_use() > 24;
        auto const answers = 1 + pick(window.in_use());
        for (std::uint64_t i = 0; i < answers; ++i) {
            window.on_answer(lost && i == 0);
            window.give_back();
        }
        sum += window.size();
    }
    EXPECT_GE(sum / rounds, 12U);
    EXPECT_LE(sum / rounds, 25U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFlowWindow, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
