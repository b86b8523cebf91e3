#include "engine/seeds.hpp"

#include <madrigal/engine/rate_limit.hpp>

#include <algorithm>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using testing::seeded;

constexpr time_point start = time_point{1000h};

int allowed_of(rate_limit& limit, int events, time_point now)
{
    int passed = 0;
    for (int i = 0; i < events; ++i)
        passed += limit.allow(now) ? 1 : 0;
    return passed;
}

TEST(RateLimit, LetsABurstThroughAndThenTheRate)
{
    rate_limit limit{10, 5};
    EXPECT_EQ(allowed_of(limit, 100, start), 5);
    EXPECT_EQ(allowed_of(limit, 100, start + 99ms), 0);
    EXPECT_EQ(allowed_of(limit, 100, start + 100ms), 1);
    EXPECT_EQ(allowed_of(limit, 100, start + 350ms), 2);
    EXPECT_EQ(allowed_of(limit, 100, start + 400ms), 1) << "fractions are kept";
    EXPECT_EQ(allowed_of(limit, 100, start + 1h), 5) << "no more is saved up than a burst";
}

TEST(RateLimit, SaysHowManyWereHeldBack)
{
    rate_limit limit{1};
    std::uint64_t suppressed = 99;
    EXPECT_TRUE(limit.allow(start, &suppressed));
    EXPECT_EQ(suppressed, 0U);
    for (int i = 0; i < 7; ++i) {
        suppressed = 99;
        EXPECT_FALSE(limit.allow(start + 10ms, &suppressed));
        EXPECT_EQ(suppressed, 0U);
    }
    EXPECT_EQ(limit.suppressed(), 7U);
    EXPECT_TRUE(limit.allow(start + 1s, &suppressed));
    EXPECT_EQ(suppressed, 7U);
    EXPECT_EQ(limit.suppressed(), 0U);
}

TEST(RateLimit, ATimeThatGoesBackEarnsNothing)
{
    rate_limit limit{1000, 1};
    EXPECT_TRUE(limit.allow(start));
    EXPECT_FALSE(limit.allow(start - 1h));
    EXPECT_FALSE(limit.allow(start));
    EXPECT_TRUE(limit.allow(start + 1ms));
}

TEST(RateLimit, NothingPerSecondAndNoBurstAreNothing)
{
    rate_limit none{0, 2};
    EXPECT_EQ(allowed_of(none, 10, start), 2);
    EXPECT_EQ(allowed_of(none, 10, start + 1h), 0);
    rate_limit closed{5, 0};
    EXPECT_EQ(allowed_of(closed, 10, start + 1h), 0);
}

class RandomRateLimit : public seeded {};

TEST_P(RandomRateLimit, PassesWhatABucketOfTimeWouldAndLosesNoEvent)
{
    auto const rate = static_cast<unsigned>(1 + pick(1000));
    auto const burst = static_cast<unsigned>(1 + pick(20));
    duration const cost = duration{1s} / rate;
    rate_limit limit{rate, burst};
    auto now = start;
    auto saved = cost * burst; // the model: time saved up, each event costs some
    std::uint64_t events = 0;
    std::uint64_t passed = 0;
    std::uint64_t reported = 0;
    for (int step = 0; step < 50'000; ++step) {
        auto const gap = pick(100) == 0 ? duration{pick(2'000'000'000)} : duration{pick(2'000'000)};
        now += gap;
        saved = std::min(cost * burst, saved + gap);
        std::uint64_t suppressed = 0;
        ++events;
        auto const may_pass = limit.allow(now, &suppressed);
        ASSERT_EQ(may_pass, saved >= cost);
        if (may_pass)
            saved -= cost;
        passed += may_pass ? 1U : 0U;
        reported += suppressed;
        ASSERT_EQ(passed + reported + limit.suppressed(), events);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRateLimit, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
