#include "engine/seeds.hpp"

#include <madrigal/engine/retry_policy.hpp>

#include <gmock/gmock.h>

#include <limits>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::seeded;

constexpr time_point start = time_point{1000h};
using backoff = retry_policy::backoff;

/// All submissions of a request that is never answered: each begins when the one before has timed out.
std::vector<submission> all_of(retry_policy const& policy)
{
    retry_schedule schedule{policy, start};
    std::vector<submission> made;
    auto now = start;
    while (auto const next = schedule.next(now)) {
        made.push_back(*next);
        now += next->length();
    }
    return made;
}

std::vector<std::uint32_t> intervals(retry_policy const& policy)
{
    std::vector<std::uint32_t> made;
    for (auto const& next : all_of(policy))
        for (std::uint32_t i = 0; i <= next.retries; ++i)
            made.push_back(next.timeout_ms);
    return made;
}

TEST(RetrySchedule, FixedIsOneSubmissionThatTheKernelRepeats)
{
    EXPECT_THAT(all_of({.timeout = 200ms, .retries = 3}), ElementsAre(submission{200, 3}));
    EXPECT_THAT(all_of({.timeout = 1ms, .retries = 0}), ElementsAre(submission{1, 0}));
}

TEST(RetrySchedule, PostponedEndsLaterByAsMuch)
{
    retry_schedule schedule{{.timeout = 100ms, .retries = 9, .total = 150ms}, start};
    ASSERT_EQ(schedule.next(start), (submission{100, 0}));
    schedule.postpone(1s);
    EXPECT_EQ(schedule.deadline(), start + 1150ms);
    EXPECT_EQ(schedule.next(start + 1100ms), (submission{50, 0}));
    retry_schedule endless{{.timeout = 100ms, .retries = 9}, start};
    endless.postpone(1s);
    EXPECT_EQ(endless.deadline(), never);
    endless.postpone(longest_length);
    EXPECT_EQ(endless.deadline(), never);
}

TEST(RetrySchedule, RetriesNMeansNPlusOneTransmissions)
{
    for (auto pace : {backoff::fixed, backoff::doubling})
        for (unsigned retries : {0U, 1U, 4U, 15U}) {
            retry_policy const policy{.timeout = 10ms, .retries = retries, .pace = pace};
            EXPECT_EQ(intervals(policy).size(), retries + 1);
            retry_schedule schedule{policy, start};
            auto now = start;
            while (auto const next = schedule.next(now))
                now += next->length();
            EXPECT_EQ(schedule.transmissions(), retries + 1);
        }
}

TEST(RetrySchedule, DoublesAfterFourFixedIntervals)
{
    EXPECT_THAT(all_of({.timeout = 100ms, .retries = 6, .pace = backoff::doubling}),
        ElementsAre(submission{100, 0}, submission{100, 0}, submission{100, 0}, submission{100, 0}, submission{200, 0},
            submission{400, 0}, submission{800, 0}));
    EXPECT_THAT(intervals({.timeout = 100ms, .retries = 2, .pace = backoff::doubling, .fixed_rounds = 0}),
        ElementsAre(200, 400, 800));
    EXPECT_THAT(intervals({.timeout = 100ms, .retries = 2, .pace = backoff::doubling, .fixed_rounds = 1}),
        ElementsAre(100, 200, 400));
}

TEST(RetrySchedule, DoublingEndsAtTheCap)
{
    auto const made = intervals({.timeout = 10s, .retries = 100, .pace = backoff::doubling});
    ASSERT_EQ(made.size(), 101U);
    EXPECT_EQ(made[4], 20'000U);
    EXPECT_EQ(made[5], 40'000U);
    for (std::size_t i = 6; i < made.size(); ++i)
        ASSERT_EQ(made[i], 60'000U);
}

TEST(RetrySchedule, AFirstIntervalAboveTheCapStaysAsItIs)
{
    EXPECT_THAT(intervals({.timeout = 90s, .retries = 1, .pace = backoff::doubling, .fixed_rounds = 1}),
        ElementsAre(90'000, 90'000));
}

TEST(RetrySchedule, CutsTheLastIntervalAtTheTotal)
{
    EXPECT_THAT(
        all_of({.timeout = 200ms, .retries = 3, .total = 500ms}), ElementsAre(submission{200, 1}, submission{100, 0}));
    EXPECT_THAT(all_of({.timeout = 200ms, .retries = 3, .total = 400ms}), ElementsAre(submission{200, 1}));
    EXPECT_THAT(all_of({.timeout = 200ms, .retries = 3, .total = 150ms}), ElementsAre(submission{150, 0}));
    EXPECT_THAT(all_of({.timeout = 200ms, .retries = 3, .total = 10s}), ElementsAre(submission{200, 3}));
    EXPECT_THAT(intervals({.timeout = 100ms, .retries = 9, .pace = backoff::doubling, .total = 1s}),
        ElementsAre(100, 100, 100, 100, 200, 400));
    EXPECT_THAT(intervals({.timeout = 100ms, .retries = 9, .pace = backoff::doubling, .total = 950ms}),
        ElementsAre(100, 100, 100, 100, 200, 350));
}

TEST(RetrySchedule, TimeInTheQueueCountsTowardsTheTotal)
{
    retry_schedule schedule{{.timeout = 200ms, .retries = 3, .total = 500ms}, start};
    EXPECT_EQ(schedule.deadline(), start + 500ms);
    EXPECT_EQ(schedule.next(start + 450ms), (submission{50, 0}));
    EXPECT_FALSE(schedule.next(start + 500ms));
    EXPECT_TRUE(schedule.exhausted(start + 500ms));
}

TEST(RetrySchedule, LessThanAMillisecondBeforeTheTotalIsTooLate)
{
    retry_schedule schedule{{.timeout = 200ms, .retries = 3, .total = 500ms}, start};
    EXPECT_FALSE(schedule.next(start + 500ms - 1ns));
    EXPECT_EQ(schedule.next(start + 499ms), (submission{1, 0}));
}

TEST(RetrySchedule, AnInvalidPolicySendsNothing)
{
    for (retry_policy const& policy : {retry_policy{.timeout = 0ms}, retry_policy{.timeout = -1ms},
             retry_policy{.total = -1ms}, retry_policy{.max_interval = 0ms}}) {
        EXPECT_TRUE(all_of(policy).empty());
        EXPECT_FALSE(check(policy).has_value());
        EXPECT_EQ(check(policy).error(), errc::invalid_argument);
    }
    EXPECT_TRUE(all_of({}).size() == 1 && check({}).has_value());
    EXPECT_TRUE(retry_schedule{}.exhausted(start));
    EXPECT_THAT(check({.timeout = 0ms}).error().message(), HasSubstr("timeout is 0 ms"));
}

TEST(RetrySchedule, TheLargestNumbersNeitherOverflowNorWrap)
{
    auto const huge = std::chrono::milliseconds::max();
    auto const most = std::numeric_limits<unsigned>::max();
    retry_schedule fixed{{.timeout = huge, .retries = most, .total = huge}, start};
    EXPECT_EQ(fixed.deadline(), never);
    EXPECT_EQ(fixed.next(start), (submission{max_timeout_ms, most}));
    EXPECT_EQ((submission{max_timeout_ms, most}.length()), longest_length);
    EXPECT_FALSE(fixed.next(start));
    retry_schedule doubling{
        {.timeout = 1ms, .retries = most, .pace = backoff::doubling, .max_interval = huge, .fixed_rounds = 0}, start};
    std::uint32_t last = 0;
    for (int i = 0; i < 100; ++i) {
        auto const next = doubling.next(start);
        ASSERT_TRUE(next);
        ASSERT_GE(next->timeout_ms, last);
        last = next->timeout_ms;
    }
    EXPECT_EQ(last, max_timeout_ms);
}

TEST(TimeoutMs, RoundsUpAndNeverToNothing)
{
    EXPECT_EQ(to_timeout_ms(1ns), 1U);
    EXPECT_EQ(to_timeout_ms(1ms), 1U);
    EXPECT_EQ(to_timeout_ms(1ms + 1ns), 2U);
    EXPECT_EQ(to_timeout_ms(0ns), 0U);
    EXPECT_EQ(to_timeout_ms(-5ms), 0U);
    EXPECT_EQ(to_timeout_ms(24h * 365), max_timeout_ms);
    EXPECT_EQ(to_timeout_ms(duration::max()), max_timeout_ms);
}

TEST(GuardDeadline, IsLongerThanTheKernelTakesByAMargin)
{
    for (auto const& written : {submission{1, 0}, submission{200, 3}, submission{60'000, 15}}) {
        EXPECT_GE(guard_after(written), written.length() + 500ms);
        EXPECT_LE(guard_after(written), written.length() * 2 + 1s);
    }
}

TEST(GuardDeadline, WaitsForTheRequestsThatAKernelSendsFirst)
{
    submission const written{200, 3};
    kernel_backlog const few{.outstanding = 15, .longest = 10s, .limit = 16};
    EXPECT_EQ(guard_after(written, few), guard_after(written)) << "all fit beside each other";
    kernel_backlog const many{.outstanding = 40, .longest = 10s, .limit = 16};
    EXPECT_GE(guard_after(written, many), guard_after(written) + 20s);
    kernel_backlog const shorter{.outstanding = 16, .longest = 1ms, .limit = 16};
    EXPECT_GE(guard_after(written, shorter), guard_after(written) + written.length());
}

TEST(GuardDeadline, SaturatesInsteadOfOverflowing)
{
    EXPECT_EQ(guard_after({max_timeout_ms, 0xFFFFFFFF}), longest_length);
    EXPECT_EQ(guard_after({max_timeout_ms, 3}, {.outstanding = 0xFFFFFFFF, .longest = duration::max(), .limit = 0}),
        longest_length);
    EXPECT_GT(guard_after({1, 0xFFFFFFFF}), (submission{1, 0xFFFFFFFF}.length()));
    EXPECT_GT(start + longest_length, start);
}

class RandomRetrySchedule : public seeded {};

TEST_P(RandomRetrySchedule, KeepsTheTotalTheNumberAndTheFloorOfTheIntervals)
{
    for (int round = 0; round < 2000; ++round) {
        retry_policy const policy{.timeout = std::chrono::milliseconds{1 + pick(3000)},
            .retries = static_cast<unsigned>(pick(20)),
            .pace = pick(2) == 0 ? backoff::fixed : backoff::doubling,
            .total = std::chrono::milliseconds{pick(2) == 0 ? 0 : pick(100'000)},
            .max_interval = std::chrono::milliseconds{1 + pick(60'000)},
            .fixed_rounds = static_cast<unsigned>(pick(6))};
        retry_schedule schedule{policy, start};
        auto now = start + duration{pick(50'000'000)};
        std::uint64_t sent = 0;
        bool was_cut = false;
        while (auto const next = schedule.next(now)) {
            ASSERT_FALSE(was_cut) << "the cut interval is the last";
            ASSERT_GT(next->timeout_ms, 0U);
            sent += next->retries + 1;
            was_cut = next->timeout_ms < policy.timeout.count();
            ASSERT_LE(now + next->length(), schedule.deadline());
            now += next->length() + duration{pick(3'000'000)}; // the report comes a little late
        }
        ASSERT_EQ(schedule.transmissions(), sent);
        ASSERT_LE(sent, policy.retries + 1);
        if (sent < policy.retries + 1) {
            ASSERT_NE(policy.total, 0ms) << "nothing but a total ends it early";
            ASSERT_GT(now, schedule.deadline() - 1ms);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRetrySchedule, ::testing::ValuesIn(testing::seeds()));

TEST(Submission, TellsByTheTimeOfAnAnswerHowManyTransmissionsWereLost)
{
    submission const four{.timeout_ms = 200, .retries = 3};
    EXPECT_EQ(four.lost_by(0ms), 0U);
    EXPECT_EQ(four.lost_by(200ms), 0U);
    EXPECT_EQ(four.lost_by(200ms + 1ns), 1U);
    EXPECT_EQ(four.lost_by(400ms), 1U);
    EXPECT_EQ(four.lost_by(401ms), 2U);
    EXPECT_EQ(four.lost_by(24h), 3U);
    EXPECT_EQ((submission{.timeout_ms = 200, .retries = 0}.lost_by(300ms)), 1U) << "the answer was late for the kernel";
    EXPECT_EQ(submission{}.lost_by(1s), 0U);
}

} // namespace
} // namespace madrigal::engine
