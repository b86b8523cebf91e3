#include "bench/scripted_wire.hpp"

#include <load/closed_loop.hpp>

#include <gtest/gtest.h>

namespace madrigal::bench {
namespace {

load_options some(std::uint64_t requests, unsigned window, std::uint64_t warm_up = 0)
{
    return {.window = window, .requests = requests, .warm_up = warm_up};
}

TEST(ClosedLoop, KeepsTheWindowFullAndTakesWhatIsOutstandingAtTheEnd)
{
    scripted_wire wire;
    auto const done = closed_loop(wire, some(100, 8, 20));
    ASSERT_TRUE(done);
    EXPECT_EQ(done.value().requests, 100u);
    EXPECT_EQ(done.value().latencies.count(), 100u);
    EXPECT_EQ(wire.most_outstanding, 8u);
    EXPECT_EQ(wire.outstanding, 0u);
    EXPECT_EQ(wire.asked, 20u + 100u + 7u);
}

TEST(ClosedLoop, CountsALossAndAsksAgain)
{
    scripted_wire wire;
    wire.script = [](unsigned number) {
        return number % 10 == 0 ? scripted_wire::fate::lost : scripted_wire::fate::answered;
    };
    auto const done = closed_loop(wire, some(90, 1));
    ASSERT_TRUE(done);
    EXPECT_EQ(done.value().requests, 90u);
    EXPECT_EQ(done.value().lost, 9u);
}

TEST(ClosedLoop, CountsAWriteWhoseAddressWasNotFoundAsALossAndAsksAgain)
{
    for (unsigned const window : {1U, 4U}) {
        scripted_wire wire;
        wire.script = [](unsigned number) {
            return number % 10 == 1 ? scripted_wire::fate::unsent : scripted_wire::fate::answered;
        };
        auto const done = closed_loop(wire, some(90, window));
        ASSERT_TRUE(done) << done.error().message();
        EXPECT_EQ(done.value().requests, 90u);
        EXPECT_GE(done.value().lost, 9u);
        EXPECT_EQ(wire.outstanding, 0u);
    }
}

TEST(ClosedLoop, EndsWithTheErrorOfAWriteThatIsRefused)
{
    for (unsigned const which : {1U, 5U}) {
        scripted_wire wire;
        wire.script = [=](unsigned number) {
            return number == which ? scripted_wire::fate::refused : scripted_wire::fate::answered;
        };
        auto const done = closed_loop(wire, some(90, 2));
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code().value(), EPERM);
    }
}

TEST(ClosedLoop, GivesUpWhereNoAddressIsFoundAtAll)
{
    scripted_wire wire;
    wire.script = [](unsigned) { return scripted_wire::fate::unsent; };
    auto const done = closed_loop(wire, some(100, 4));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error(), errc::timeout);
    EXPECT_LT(wire.asked, 50u);
}

TEST(ClosedLoop, TakesALateAnswerForNothingElse)
{
    scripted_wire wire;
    wire.script = [](unsigned number) {
        return number == 3 ? scripted_wire::fate::answered_late : scripted_wire::fate::answered;
    };
    auto const done = closed_loop(wire, some(10, 1));
    ASSERT_TRUE(done);
    EXPECT_EQ(done.value().requests, 10u);
    EXPECT_EQ(done.value().lost, 1u);
    EXPECT_EQ(wire.asked, 11u) << "an answer taken twice would have spared a request";
}

TEST(ClosedLoop, GivesUpWhereNobodyAnswersAtAll)
{
    scripted_wire wire;
    wire.script = [](unsigned) { return scripted_wire::fate::lost; };
    auto const done = closed_loop(wire, some(100, 4));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error(), errc::timeout);
    EXPECT_LT(wire.asked, 50u);
}

TEST(ClosedLoop, GivesUpWhereNotEvenALossIsReported)
{
    scripted_wire wire;
    wire.script = [](unsigned number) {
        return number == 5 ? scripted_wire::fate::forgotten : scripted_wire::fate::answered;
    };
    auto const done = closed_loop(wire, some(100, 1));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error(), errc::timeout);
}

} // namespace
} // namespace madrigal::bench
