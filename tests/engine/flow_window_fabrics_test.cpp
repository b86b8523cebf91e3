// Where an adaptive window settles: on links that lose, before queues that are full, and when one becomes the other.
#include "engine/queue_model.hpp"
#include "engine/seeds.hpp"

#include <algorithm>
#include <vector>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using testing::queue_conditions;
using testing::queue_model;
using testing::queue_report;

constexpr window_options adaptive{.size = 16, .adaptive = true, .minimum = 4, .maximum = 512};
constexpr window_options fixed{.size = 128};

class AdaptiveWindow : public testing::seeded {
protected:
    /// The last second of three, or of more.
    queue_report settled(queue_conditions const& fabric, duration before = 2s)
    {
        queue_model model{adaptive, fabric, GetParam()};
        (void)model.run(before);
        return within_bounds(model.run(1s));
    }
    queue_report settled_fixed(queue_conditions const& fabric)
    {
        queue_model model{fixed, fabric, GetParam()};
        (void)model.run(2s);
        return model.run(1s);
    }
    static queue_report within_bounds(queue_report const& report)
    {
        EXPECT_GE(report.smallest, adaptive.minimum);
        EXPECT_LE(report.largest, adaptive.maximum);
        EXPECT_LE(report.most_in_use, adaptive.maximum);
        return report;
    }
};

TEST_P(AdaptiveWindow, GrowsThirtytwofoldInAHundredthOfASecondWhereNothingIsLost)
{
    queue_model model{adaptive, {}, GetParam()};
    within_bounds(model.run(30ms));
    EXPECT_EQ(model.window.size(), 512U);
    auto const later = within_bounds(model.run(1s));
    EXPECT_EQ(later.smallest, 512U);
    EXPECT_EQ(later.loss, 0);
}

TEST_P(AdaptiveWindow, KeepsItsSizeOnLinksThatLose)
{
    for (double const loss : {0.01, 0.05, 0.08}) {
        queue_conditions const lossy{.loss = loss};
        queue_model model{adaptive, lossy, GetParam()};
        (void)model.run(1s);
        auto const report = within_bounds(model.run(4s));
        EXPECT_GE(report.size, 0.95 * 512) << loss;
        EXPECT_GE(report.rate, settled_fixed(lossy).rate) << loss;
    }
}

TEST_P(AdaptiveWindow, GrowsOnLinksThatLoseManyAsWell)
{
    EXPECT_GE(settled({.loss = 0.1}, 4s).size, 0.9 * 512);
}

TEST_P(AdaptiveWindow, SettlesNearWhatAQueueHolds)
{
    for (auto const service : {10us, 100us})
        for (unsigned const depth : {32U, 128U}) {
            queue_model model{adaptive, {.depth = depth, .service = service}, GetParam()};
            (void)model.run(1s);
            auto const report = within_bounds(model.run(4s));
            EXPECT_GE(report.size, 0.75 * depth);
            EXPECT_LE(report.size, 1.25 * depth);
            EXPECT_LE(report.largest, 2 * depth);
            EXPECT_LE(report.loss, 0.03);
            EXPECT_LE(report.failed, 0.002);
            EXPECT_GE(report.rate, 0.99 / std::chrono::duration<double>(service).count()) << "the queue is never empty";
        }
}

TEST_P(AdaptiveWindow, LosesAndFailsLessThanAFixedOneThatIsTooLarge)
{
    for (auto const service : {10us, 100us, 1000us}) {
        queue_conditions const shallow{.depth = 32, .service = service};
        auto const report = settled(shallow);
        auto const too_large = settled_fixed(shallow);
        EXPECT_LE(report.loss, too_large.loss / 2);
        EXPECT_LE(report.failed, too_large.failed / 2 + 0.001);
    }
}

TEST_P(AdaptiveWindow, SettlesNearWhatAQueueHoldsWhereLinksLoseAFewBesides)
{
    for (unsigned const depth : {32U, 128U}) {
        auto const report = settled({.loss = 0.01, .depth = depth, .service = 100us}, 4s);
        EXPECT_GE(report.size, 0.5 * depth);
        EXPECT_LE(report.size, 1.5 * depth);
        EXPECT_LE(report.loss, 0.05);
        EXPECT_GE(report.rate, 8'000);
    }
}

TEST_P(AdaptiveWindow, HasItsSizeSoonAgainWhenLinksBeginToLoseAndEnd)
{
    for (double const loss : {0.01, 0.05, 0.2}) {
        queue_model model{adaptive, {}, GetParam()};
        (void)model.run(1s);
        model.conditions.loss = loss;
        within_bounds(model.run(1s));
        EXPECT_GE(within_bounds(model.run(1s)).size, 0.95 * 512) << loss;
        model.conditions.loss = 0;
        within_bounds(model.run(500ms));
        EXPECT_EQ(within_bounds(model.run(1s)).smallest, 512U) << loss;
    }
}

TEST_P(AdaptiveWindow, FollowsAQueueThatBecomesShallowAndDeepAgain)
{
    queue_model model{adaptive, {.depth = 128, .service = 100us}, GetParam()};
    (void)model.run(2s);
    model.conditions.depth = 32;
    within_bounds(model.run(2s));
    auto const shallow = within_bounds(model.run(3s));
    EXPECT_LE(shallow.size, 1.25 * 32);
    EXPECT_LE(shallow.loss, 0.05);
    model.conditions.depth = 128;
    within_bounds(model.run(2s));
    auto const deep = within_bounds(model.run(3s));
    EXPECT_GE(deep.size, 0.75 * 128);
    EXPECT_LE(deep.size, 1.25 * 128);
}

TEST_P(AdaptiveWindow, FallsFromItsMaximumToWhatAQueueHoldsAndGrowsAgain)
{
    queue_model model{adaptive, {.service = 100us}, GetParam()};
    (void)model.run(2s);
    model.conditions.depth = 32;
    within_bounds(model.run(5s));
    auto const shallow = within_bounds(model.run(2s));
    EXPECT_LE(shallow.size, 1.5 * 32);
    EXPECT_LE(shallow.loss, 0.05);
    model.conditions.depth = 0;
    within_bounds(model.run(6s));
    EXPECT_GE(model.window.size(), 256U);
}

TEST_P(AdaptiveWindow, GrowsAgainWhereLinksLoseAfterAQueueWasFull)
{
    queue_model model{adaptive, {.depth = 32, .service = 100us}, GetParam()};
    (void)model.run(2s);
    model.conditions = {.loss = 0.05};
    within_bounds(model.run(5s));
    EXPECT_GE(model.window.size(), 256U);
}

TEST_P(AdaptiveWindow, TakesSlowNodesForNoLoss)
{
    for (double const slow : {0.1, 0.3})
        EXPECT_GE(settled({.slow = slow}).size, 0.95 * 512) << slow;
}

TEST_P(AdaptiveWindow, TakesNodesThatNeverAnswerForNoReasonToShrink)
{
    for (double const dead : {0.01, 0.05}) {
        queue_conditions const some{.dead = dead};
        auto const report = settled(some);
        EXPECT_GE(report.size, 0.95 * 512) << dead;
        EXPECT_GE(report.rate, settled_fixed(some).rate) << dead;
    }
}

TEST_P(AdaptiveWindow, IsBackSoonAfterNothingWasAnsweredForAWhile)
{
    queue_model model{adaptive, {}, GetParam()};
    (void)model.run(1s);
    model.conditions.loss = 1;
    within_bounds(model.run(5s));
    model.conditions.loss = 0;
    within_bounds(model.run(1s));
    EXPECT_GE(model.window.size(), 256U);
}

/// The first two: each second of a model is 100 000 requests.
std::vector<std::uint64_t> few_seeds()
{
    auto seeds = testing::seeds();
    seeds.resize(std::min<std::size_t>(seeds.size(), 2));
    return seeds;
}

INSTANTIATE_TEST_SUITE_P(Seeds, AdaptiveWindow, ::testing::ValuesIn(few_seeds()));

} // namespace
} // namespace madrigal::engine
