#include "engine/seeds.hpp"

#include <madrigal/engine/deadline_wheel.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using testing::seeded;

constexpr time_point start = time_point{1000h + 123456ns}; // on no tick

struct numbered : deadline_node {
    int number = 0;
};

std::vector<int> expired(deadline_wheel& wheel, time_point now, std::size_t budget = deadline_wheel::unlimited)
{
    std::vector<int> order;
    auto const count = wheel.expire(
        now,
        [&](deadline_node& node) {
            EXPECT_FALSE(node.linked());
            EXPECT_LE(node.deadline(), now);
            order.push_back(static_cast<numbered&>(node).number);
        },
        budget);
    EXPECT_EQ(count, order.size());
    return order;
}

TEST(DeadlineWheel, IsEmptyAtFirst)
{
    deadline_wheel wheel;
    EXPECT_TRUE(wheel.empty());
    EXPECT_EQ(wheel.next(), never);
    EXPECT_TRUE(expired(wheel, start).empty());
}

TEST(DeadlineWheel, ExpiresAtTheDeadlineAndNotANanosecondBefore)
{
    deadline_wheel wheel;
    numbered node;
    auto const when = start + 200ms + 1ns;
    wheel.insert(node, when);
    EXPECT_EQ(wheel.next(), when);
    EXPECT_TRUE(expired(wheel, when - 1ns).empty());
    EXPECT_TRUE(node.linked());
    EXPECT_EQ(wheel.next(), when);
    EXPECT_EQ(expired(wheel, when).size(), 1U);
    EXPECT_TRUE(wheel.empty());
    EXPECT_EQ(wheel.next(), never);
}

TEST(DeadlineWheel, ExpiresOverdueNodesAtOnce)
{
    deadline_wheel wheel;
    (void)expired(wheel, start);
    numbered past;
    numbered present;
    past.number = 1;
    present.number = 2;
    wheel.insert(present, start);
    wheel.insert(past, start - 5s);
    EXPECT_EQ(wheel.next(), start - 5s);
    EXPECT_EQ(expired(wheel, start), (std::vector{1, 2}));
}

TEST(DeadlineWheel, NeverIsNoDeadline)
{
    deadline_wheel wheel;
    numbered node;
    wheel.insert(node, start);
    wheel.insert(node, never);
    EXPECT_FALSE(node.linked());
    EXPECT_TRUE(wheel.empty());
    EXPECT_TRUE(expired(wheel, never).empty());
}

TEST(DeadlineWheel, TakesTheFarthestAndTheEarliestTimes)
{
    deadline_wheel wheel;
    numbered far;
    numbered early;
    far.number = 1;
    early.number = 2;
    wheel.insert(far, never - 1ns);
    wheel.insert(early, time_point::min());
    EXPECT_EQ(wheel.next(), time_point::min());
    EXPECT_EQ(expired(wheel, start), std::vector{2});
    EXPECT_EQ(wheel.next(), never - 1ns);
    EXPECT_TRUE(expired(wheel, never - 2ns).empty());
    EXPECT_EQ(expired(wheel, never), std::vector{1});
}

TEST(DeadlineWheel, EqualDeadlinesExpireInTheOrderOfInsertion)
{
    deadline_wheel wheel;
    std::vector<numbered> nodes(1000);
    for (int i = 0; i < 1000; ++i) {
        nodes[static_cast<std::size_t>(i)].number = i;
        wheel.insert(nodes[static_cast<std::size_t>(i)], start + 1s);
    }
    auto const order = expired(wheel, start + 1s);
    EXPECT_EQ(order.size(), nodes.size());
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(DeadlineWheel, DeadlinesWithinOneTickExpireInOrder)
{
    deadline_wheel wheel{1s};
    std::vector<numbered> nodes(100);
    for (int i = 99; i >= 0; --i) {
        nodes[static_cast<std::size_t>(i)].number = i;
        wheel.insert(nodes[static_cast<std::size_t>(i)], start + i * 1us);
    }
    auto const order = expired(wheel, start + 1s);
    EXPECT_EQ(order.size(), nodes.size());
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(DeadlineWheel, ErasedNodesDoNotExpire)
{
    deadline_wheel wheel;
    numbered a;
    numbered b;
    a.number = 1;
    b.number = 2;
    wheel.insert(a, start + 1ms);
    wheel.insert(b, start + 1ms);
    wheel.erase(a);
    wheel.erase(a);
    EXPECT_FALSE(a.linked());
    EXPECT_EQ(wheel.size(), 1U);
    EXPECT_EQ(expired(wheel, start + 1s), std::vector{2});
}

TEST(DeadlineWheel, InsertingAgainMovesTheDeadline)
{
    deadline_wheel wheel;
    numbered node;
    wheel.insert(node, start + 1ms);
    wheel.insert(node, start + 10s);
    EXPECT_EQ(wheel.size(), 1U);
    EXPECT_TRUE(expired(wheel, start + 9s).empty());
    EXPECT_EQ(expired(wheel, start + 10s).size(), 1U);
}

TEST(DeadlineWheel, DoesNotSpinInTheLastTick)
{
    // Sleeping until next() and expiring then takes as many turns as there are deadlines.
    deadline_wheel wheel;
    std::vector<numbered> nodes(50);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        wheel.insert(nodes[i], start + 123'457us * static_cast<int>(i * i + 1));
    std::size_t turns = 0;
    for (; !wheel.empty(); ++turns)
        EXPECT_EQ(expired(wheel, wheel.next()).size(), 1U);
    EXPECT_EQ(turns, nodes.size());
}

TEST(DeadlineWheel, AnErasedEarliestNodeCostsOneUselessTurnAtMost)
{
    deadline_wheel wheel;
    (void)expired(wheel, start);
    numbered erased;
    numbered later;
    wheel.insert(erased, start + 3000ms);
    wheel.insert(later, start + 3500ms + 7ns);
    wheel.erase(erased);
    int useless = 0;
    while (!wheel.empty()) {
        ASSERT_LE(wheel.next(), start + 3500ms + 7ns);
        useless += expired(wheel, wheel.next()).empty() ? 1 : 0;
    }
    EXPECT_LE(useless, 1);
}

TEST(DeadlineWheel, FiftyThousandExpireInSlices)
{
    deadline_wheel wheel;
    std::vector<numbered> nodes(50'000);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        nodes[i].number = static_cast<int>(i);
        wheel.insert(nodes[i], start + 1s);
    }
    int expected = 0;
    for (int slice = 0; slice < 50; ++slice) {
        ASSERT_LE(wheel.next(), start + 1s);
        auto const order = expired(wheel, start + 1s, 1000);
        ASSERT_EQ(order.size(), 1000U);
        for (auto number : order)
            ASSERT_EQ(number, expected++);
    }
    EXPECT_TRUE(wheel.empty());
    EXPECT_EQ(wheel.next(), never);
}

TEST(DeadlineWheel, ABudgetOfNothingDoesNothing)
{
    deadline_wheel wheel;
    numbered node;
    wheel.insert(node, start);
    EXPECT_TRUE(expired(wheel, start, 0).empty());
    EXPECT_TRUE(node.linked());
}

TEST(DeadlineWheel, ACallbackMayEraseAndDestroyOthers)
{
    deadline_wheel wheel;
    auto victim = std::make_unique<numbered>();
    auto self = std::make_unique<numbered>();
    wheel.insert(*self, start);
    wheel.insert(*victim, start);
    auto const count = wheel.expire(start, [&](deadline_node& node) {
        EXPECT_EQ(&node, self.get());
        wheel.erase(*victim);
        victim.reset();
        self.reset();
    });
    EXPECT_EQ(count, 1U);
    EXPECT_TRUE(wheel.empty());
}

TEST(DeadlineWheel, ANodeInsertedAgainWhileDueWaitsForTheNextCall)
{
    deadline_wheel wheel;
    numbered node;
    numbered erased;
    wheel.insert(node, start);
    auto again = [&](deadline_node& expiring) {
        wheel.insert(erased, start - 1s);
        EXPECT_EQ(wheel.next(), start - 1s);
        wheel.erase(erased);
        wheel.insert(expiring, start);
        EXPECT_LE(wheel.next(), start);
    };
    EXPECT_EQ(wheel.expire(start, again), 1U);
    EXPECT_EQ(wheel.next(), start);
    EXPECT_EQ(wheel.expire(start, again), 1U);
    wheel.erase(node);
    EXPECT_TRUE(wheel.empty());
    EXPECT_EQ(wheel.next(), never);
}

TEST(DeadlineWheel, SurvivesACallbackThatThrows)
{
    deadline_wheel wheel;
    numbered a;
    numbered b;
    wheel.insert(a, start);
    wheel.insert(b, start);
    EXPECT_THROW(wheel.expire(start,
                     [&](deadline_node& node) {
                         wheel.insert(node, start);
                         throw 1;
                     }),
        int);
    EXPECT_EQ(wheel.size(), 2U);
    EXPECT_EQ(expired(wheel, start).size(), 2U);
}

TEST(DeadlineWheel, AnEarlierNowDoesNoHarm)
{
    deadline_wheel wheel;
    numbered node;
    (void)expired(wheel, start + 1h);
    wheel.insert(node, start + 2h);
    EXPECT_TRUE(expired(wheel, start).empty());
    EXPECT_EQ(expired(wheel, start + 2h).size(), 1U);
}

class RandomDeadlineWheel : public seeded {
protected:
    duration some_duration()
    {
        switch (pick(6)) {
        case 0: return duration{pick(2'000'000)}; // within a tick or two
        case 1: return std::chrono::milliseconds{pick(70)};
        case 2: return std::chrono::milliseconds{pick(5000)};
        case 3: return duration{pick(300'000'000'000)};
        case 4: return std::chrono::hours{pick(1000)};
        default: return -duration{pick(5'000'000)};
        }
    }
};

TEST_P(RandomDeadlineWheel, BehavesAsAMultimapWould)
{
    deadline_wheel wheel{duration{1 + pick(3'000'000)}};
    std::vector<numbered> nodes(400);
    for (int i = 0; i < 400; ++i)
        nodes[static_cast<std::size_t>(i)].number = i;
    std::multimap<time_point, int> model; // equal keys stay in the order of insertion
    auto forget = [&](int number) {
        for (auto at = model.begin(); at != model.end(); ++at)
            if (at->second == number) {
                model.erase(at);
                return;
            }
    };
    auto now = start;
    for (int step = 0; step < 30'000; ++step) {
        auto& node = nodes[pick(nodes.size())];
        switch (pick(8)) {
        case 0:
        case 1:
        case 2:
        case 3: {
            auto const when = now + some_duration();
            forget(node.number);
            wheel.insert(node, when);
            model.emplace(when, node.number);
            break;
        }
        case 4:
        case 5:
            forget(node.number);
            wheel.erase(node);
            break;
        default: {
            // To a random time, or to where the wheel says that the next may be.
            if (auto const next = wheel.next(); pick(2) == 0 && next != never)
                now = std::max(now, next);
            else
                now += duration{pick(20'000'000)};
            auto const budget = pick(4) == 0 ? pick(5) : deadline_wheel::unlimited;
            std::size_t due = 0;
            wheel.expire(
                now,
                [&](deadline_node& expiring) {
                    ++due;
                    ASSERT_FALSE(model.empty());
                    ASSERT_EQ(model.begin()->second, static_cast<numbered&>(expiring).number);
                    model.erase(model.begin());
                    if (pick(4) == 0) {
                        auto& other = nodes[pick(nodes.size())];
                        auto const when = now + 1ns + duration{pick(5'000'000)};
                        forget(other.number);
                        wheel.insert(other, when);
                        model.emplace(when, other.number);
                    }
                },
                budget);
            ASSERT_FALSE(HasFatalFailure());
            if (due < budget) {
                ASSERT_TRUE(model.empty() || model.begin()->first > now);
            }
        }
        }
        ASSERT_EQ(wheel.size(), model.size());
        ASSERT_EQ(wheel.empty(), model.empty());
        if (model.empty())
            ASSERT_EQ(wheel.next(), never);
        else
            ASSERT_LE(wheel.next(), model.begin()->first);
    }
    // Converges: at most one useless turn for each level of slots that erasure has left a stale bound in.
    int useless = 0;
    while (!wheel.empty()) {
        now = std::max(now, wheel.next());
        auto const count = wheel.expire(now, [&](deadline_node& expiring) {
            ASSERT_EQ(model.begin()->second, static_cast<numbered&>(expiring).number);
            ASSERT_EQ(model.begin()->first, expiring.deadline());
            model.erase(model.begin());
        });
        useless = count == 0 ? useless + 1 : 0;
        ASSERT_LE(useless, 1);
    }
    EXPECT_TRUE(model.empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomDeadlineWheel, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
