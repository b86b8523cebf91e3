#include <load/closed_loop.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>

namespace madrigal::bench {
namespace {

using namespace std::chrono_literals;

/// A wire that does what each request's number says, counted from 1.
struct scripted_wire {
    enum class fate : std::uint8_t { answered, lost, answered_late, forgotten };

    std::function<fate(unsigned)> script = [](unsigned) { return fate::answered; };
    unsigned asked = 0;
    unsigned waits = 0;
    unsigned outstanding = 0;
    unsigned most_outstanding = 0;
    std::deque<taken> arriving{};
    std::optional<std::uint32_t> late{};

    int send(std::uint32_t id)
    {
        most_outstanding = std::max(most_outstanding, ++outstanding);
        auto const what = script(++asked);
        if (late) // the answer of an earlier request comes before that of the present one
            arriving.push_back({taken::kind::answer, *std::exchange(late, std::nullopt), 0});
        if (what == fate::answered)
            arriving.push_back({taken::kind::answer, id, 0});
        if (what == fate::lost || what == fate::answered_late)
            arriving.push_back({taken::kind::lost, id, 0});
        if (what == fate::answered_late)
            late = id;
        return 0;
    }
    taken take()
    {
        if (arriving.empty())
            return {};
        auto const next = arriving.front();
        arriving.pop_front();
        --outstanding;
        return next;
    }
    bool wait(std::chrono::nanoseconds)
    {
        ++waits;
        return !arriving.empty();
    }
};

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
