#include "engine/seeds.hpp"

#include <madrigal/engine/flow_window.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

namespace madrigal::engine {
namespace {

using testing::seeded;

/// A window, and what is on the wire in the order of sending.
struct with_wire {
    explicit with_wire(window_options const& options) : window{options} {}

    void fill()
    {
        while (auto const round = window.try_take())
            wire.push_back(round);
    }
    /// The oldest has an outcome.
    void answer(unsigned lost = 0)
    {
        window.on_answer(wire.front(), lost);
        take_off();
    }
    void time_out()
    {
        window.on_timeout(wire.front());
        take_off();
    }
    void take_off()
    {
        wire.pop_front();
        window.give_back(flow_window::no_round);
    }
    /// So many answers in time, each place taken again at once.
    void answer_many(unsigned answers)
    {
        fill();
        for (; answers > 0; --answers) {
            answer();
            fill();
        }
    }

    flow_window window;
    std::deque<flow_window::round> wire;
};

TEST(FlowWindow, GivesAsManyPlacesAsItHas)
{
    flow_window window{{.size = 3}};
    EXPECT_TRUE(window.try_take());
    EXPECT_TRUE(window.try_take());
    EXPECT_EQ(window.free(), 1U);
    EXPECT_TRUE(window.try_take());
    EXPECT_FALSE(window.try_take());
    EXPECT_EQ(window.in_use(), 3U);
    window.give_back(flow_window::no_round);
    EXPECT_TRUE(window.try_take());
}

TEST(FlowWindow, FixedStaysFixed)
{
    with_wire of{{.size = 8}};
    of.answer_many(1000);
    for (int i = 0; i < 1000; ++i) {
        of.answer(2);
        of.fill();
        of.time_out();
        of.fill();
        ASSERT_EQ(of.window.in_use(), 8U);
    }
    EXPECT_EQ(of.window.size(), 8U);
}

TEST(FlowWindow, MendsImpossibleOptions)
{
    EXPECT_EQ(flow_window{{.size = 0}}.size(), 1U);
    EXPECT_EQ((flow_window{{.size = 0, .adaptive = true, .minimum = 0}}.size()), 1U);
    EXPECT_EQ((flow_window{{.size = 5000, .adaptive = true}}.size()), 1024U);
    EXPECT_EQ((flow_window{{.size = 5, .adaptive = true, .minimum = 10, .maximum = 2}}.size()), 10U);
    EXPECT_EQ((flow_window{{.size = ~0U, .adaptive = true, .minimum = ~0U, .maximum = ~0U}}.size()), 65'536U);
    EXPECT_EQ(flow_window{{.size = 5000}}.size(), 5000U);
}

TEST(FlowWindow, DoublesUpToTheMaximumWhereNothingIsLost)
{
    with_wire of{{.size = 16, .adaptive = true, .maximum = 100}};
    std::deque<unsigned> sizes{16};
    for (int i = 0; i < 1000; ++i) {
        of.answer_many(1);
        if (of.window.size() != sizes.back())
            sizes.push_back(of.window.size());
    }
    EXPECT_EQ(sizes, (std::deque<unsigned>{16, 32, 64, 100}));
    EXPECT_EQ(of.window.in_use(), 100U);
}

TEST(FlowWindow, DoesNotGrowWhileItIsNeverFull)
{
    flow_window window{{.size = 10, .adaptive = true}};
    for (int i = 0; i < 1000; ++i) {
        auto const round = window.try_take();
        ASSERT_TRUE(round);
        window.on_answer(round, 0);
        window.give_back(flow_window::no_round);
    }
    EXPECT_EQ(window.size(), 10U);
}

TEST(FlowWindow, GrowsWhenAnswersArriveAllAtOnce)
{
    with_wire of{{.size = 10, .adaptive = true}};
    for (int burst = 0; burst < 20; ++burst) {
        of.fill();
        while (!of.wire.empty())
            of.answer();
    }
    EXPECT_GE(of.window.size(), 40U);
}

TEST(FlowWindow, WhatOthersHaveOvertakenTakesNoRoom)
{
    with_wire of{{.size = 16, .adaptive = true, .minimum = 16, .maximum = 24}};
    of.fill();
    auto const lost = of.wire.front();
    of.wire.pop_front();
    of.answer_many(31);
    EXPECT_EQ(of.window.in_use(), 16U) << "its round has not ended";
    of.answer_many(33);
    EXPECT_GT(of.window.in_use(), 16U) << "it has been overtaken by a round";
    EXPECT_EQ(of.window.in_use(), of.wire.size() + 1);
    of.answer_many(1000);
    EXPECT_LE(of.window.in_use(), 24U);
    of.window.on_answer(lost, 1);
    of.window.give_back(flow_window::no_round);
    EXPECT_EQ(of.window.in_use(), of.wire.size());
}

TEST(FlowWindow, SendsNoMoreThanTwiceItsSizeWithWhatIsMissing)
{
    with_wire of{{.size = 8, .adaptive = true, .minimum = 8, .maximum = 1000}};
    unsigned most = 0;
    for (int i = 0; i < 10'000; ++i) { // all but every fourth are never answered
        of.fill();
        most = std::max(most, of.window.in_use() - std::min(of.window.in_use(), 2 * of.window.size()));
        if (of.wire.empty())
            break;
        if (i % 4 == 0)
            of.answer();
        else
            of.wire.pop_front();
    }
    EXPECT_EQ(most, 0U);
    EXPECT_LE(of.window.in_use(), 2 * of.window.size());
}

TEST(FlowWindow, ShrinksToTheMinimumWhereAllIsLost)
{
    for (bool const late : {false, true}) {
        with_wire of{{.size = 64, .adaptive = true, .minimum = 3}};
        for (int i = 0; i < 2000; ++i) {
            of.fill();
            if (late)
                of.answer(1);
            else
                of.time_out();
        }
        EXPECT_EQ(of.window.size(), 3U);
    }
}

TEST(FlowWindow, AShrunkWindowTakesNothingBack)
{
    with_wire of{{.size = 64, .adaptive = true, .maximum = 64}};
    of.fill();
    while (of.window.size() == 64) {
        of.time_out();
        if (of.window.size() == 64)
            of.fill();
    }
    EXPECT_EQ(of.window.size(), 32U);
    EXPECT_GT(of.window.in_use(), 32U);
    while (of.window.in_use() >= 32) {
        ASSERT_FALSE(of.window.try_take());
        of.answer();
    }
    EXPECT_TRUE(of.window.try_take());
}

TEST(FlowWindow, PlacesGivenBackWithoutAnOutcomeCountForNothing)
{
    flow_window window{{.size = 16, .adaptive = true}};
    for (int i = 0; i < 10'000; ++i) {
        auto const round = window.try_take();
        ASSERT_TRUE(round);
        window.give_back(round);
    }
    EXPECT_EQ(window.free(), 16U);
    EXPECT_EQ(window.size(), 16U);
}

class RandomFlowWindow : public seeded {};

TEST_P(RandomFlowWindow, StaysWithinItsBoundsAndCountsItsPlaces)
{
    window_options const options{.size = 16, .adaptive = true, .minimum = 2, .maximum = 40};
    flow_window window{options};
    std::deque<flow_window::round> taken;
    for (int step = 0; step < 200'000; ++step) {
        auto const weather = step / 10'000 % 4; // fair, some losses, many, nothing but losses
        if (pick(2) == 0) {
            auto const places = window.free();
            auto const round = window.try_take();
            ASSERT_EQ(round != flow_window::no_round, places != 0);
            if (round != flow_window::no_round)
                taken.push_back(round);
        } else if (!taken.empty()) {
            std::swap(taken.front(), taken[pick(taken.size())]);
            auto const round = taken.front();
            auto const lost =
                pick(60) < std::array<std::uint64_t, 4>{0, 2, 15, 60}.at(static_cast<std::size_t>(weather));
            if (pick(100) == 0) {
                window.give_back(round); // it could not be written
            } else {
                if (!lost)
                    window.on_answer(round, 0);
                else if (pick(2) == 0)
                    window.on_timeout(round);
                else
                    window.on_answer(round, static_cast<unsigned>(1 + pick(3)));
                if (pick(50) == 0)
                    window.on_timeout(flow_window::no_round); // once more, as of one that is written again
                window.give_back(flow_window::no_round);
            }
            taken.pop_front();
        }
        ASSERT_EQ(window.in_use(), taken.size());
        ASSERT_GE(window.size(), options.minimum);
        ASSERT_LE(window.size(), options.maximum);
        ASSERT_LE(window.in_use(), options.maximum);
        ASSERT_LE(window.free(), options.maximum - window.in_use());
    }
    while (!taken.empty()) {
        window.on_answer(taken.front(), 0);
        window.give_back(flow_window::no_round);
        taken.pop_front();
    }
    EXPECT_EQ(window.free(), window.size()) << "nothing is counted as on the wire";
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFlowWindow, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
