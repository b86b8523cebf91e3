#include "bench/scripted_wire.hpp"

#include <load/open_loop.hpp>
#include <load/send_loop.hpp>

#include <gtest/gtest.h>

namespace madrigal::bench {
namespace {

using namespace std::chrono_literals;

/// So fast that every request is overdue: no test waits for the clock.
constexpr double at_once = 1e9;

TEST(OpenLoop, AsksAsManyAsAreDueAndNoMoreThanTheWindowHolds)
{
    scripted_wire wire;
    auto const done = open_loop(wire, {.window = 4, .requests = 100, .warm_up = 10, .rate = at_once});
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(done.value().requests, 100u);
    EXPECT_LE(wire.most_outstanding, 4u);
    EXPECT_EQ(wire.outstanding, 0u);
}

TEST(OpenLoop, CountsLatencyFromTheTimeAtWhichARequestWasDue)
{
    scripted_wire wire;
    meter::clock::time_point first{};
    meter::clock::time_point last{};
    wire.script = [&](unsigned number) {
        (number == 1 ? first : last) = meter::clock::now();
        return scripted_wire::fate::answered;
    };
    auto const done = open_loop(wire, {.window = 1, .requests = 1'000, .warm_up = 0, .rate = at_once});
    ASSERT_TRUE(done);
    // The last request was due less than 1 us after the first, however late it left.
    EXPECT_GE(done.value().latencies.highest() + 1us, last - first);
}

TEST(OpenLoop, GoesOnAfterALoss)
{
    scripted_wire wire;
    wire.script = [](unsigned number) {
        return number % 5 == 0 ? scripted_wire::fate::lost : scripted_wire::fate::answered;
    };
    auto const done = open_loop(wire, {.window = 1, .requests = 8, .warm_up = 0, .rate = at_once});
    ASSERT_TRUE(done);
    EXPECT_EQ(done.value().requests, 8u);
    EXPECT_EQ(done.value().lost, 1u);
}

TEST(OpenLoop, CountsAWriteWhoseAddressWasNotFoundAsALoss)
{
    scripted_wire wire;
    wire.script = [](unsigned number) {
        return number % 5 == 1 ? scripted_wire::fate::unsent : scripted_wire::fate::answered;
    };
    auto const done = open_loop(wire, {.window = 2, .requests = 8, .warm_up = 0, .rate = at_once});
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(done.value().requests, 8u);
    EXPECT_GE(done.value().lost, 2u);
    EXPECT_EQ(wire.outstanding, 0u);
}

TEST(OpenLoop, GivesUpWhereNobodyAnswers)
{
    for (auto const all : {scripted_wire::fate::lost, scripted_wire::fate::unsent}) {
        scripted_wire wire;
        wire.script = [=](unsigned) { return all; };
        auto const done = open_loop(wire, {.window = 2, .requests = 8, .warm_up = 0, .rate = at_once});
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error(), errc::timeout);
    }
}

TEST(SendLoop, SendsWhatWasAskedForAndTheWarmUpBefore)
{
    for (double const rate : {0.0, at_once}) {
        scripted_wire wire;
        auto const done = send_loop(wire, {.requests = 50, .warm_up = 7, .rate = rate});
        ASSERT_TRUE(done);
        EXPECT_EQ(done.value().requests, 50u);
        EXPECT_EQ(wire.asked, 57u);
    }
}

TEST(SendLoop, CountsAWriteWhoseAddressWasNotFoundAsALoss)
{
    scripted_wire wire;
    wire.script = [](unsigned number) {
        return number == 3 ? scripted_wire::fate::unsent : scripted_wire::fate::answered;
    };
    auto const done = send_loop(wire, {.requests = 10, .warm_up = 0});
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(done.value().requests, 10u);
    EXPECT_EQ(done.value().lost, 1u);
    EXPECT_EQ(wire.asked, 11u);
}

TEST(Pace, ReckonsEachSendFromTheFirst)
{
    pace third{3.0};
    auto const first = third.due();
    for (int i = 0; i != 3'000; ++i)
        third.advance();
    EXPECT_EQ(third.due() - first, 1'000s) << "333,333,333 ns three thousand times would be a microsecond short";
    EXPECT_TRUE(third.steady());
    EXPECT_FALSE(pace{0}.steady());
}

} // namespace
} // namespace madrigal::bench
