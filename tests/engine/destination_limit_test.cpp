#include "engine/seeds.hpp"

#include <madrigal/engine/destination_limit.hpp>

#include <algorithm>
#include <deque>
#include <map>

namespace madrigal::engine {
namespace {

using testing::seeded;

TEST(DestinationLimit, LimitsEachDestinationByItself)
{
    destination_limit limit{2};
    EXPECT_TRUE(limit.try_take(7));
    EXPECT_TRUE(limit.try_take(7));
    EXPECT_FALSE(limit.try_take(7));
    EXPECT_TRUE(limit.try_take(8));
    EXPECT_EQ(limit.in_use(7), 2U);
    EXPECT_EQ(limit.in_use(8), 1U);
    EXPECT_EQ(limit.in_use(9), 0U);
    EXPECT_EQ(limit.give_back(7), nullptr);
    EXPECT_TRUE(limit.try_take(7));
}

TEST(DestinationLimit, ZeroIsNoLimitAndNoBookKeeping)
{
    destination_limit limit{0};
    for (int i = 0; i < 1000; ++i)
        EXPECT_TRUE(limit.try_take(7));
    EXPECT_EQ(limit.give_back(7), nullptr);
    EXPECT_EQ(limit.size(), 0U);
    EXPECT_EQ(limit.capacity(), 0U);
}

TEST(DestinationLimit, HandsThePlaceToTheFirstWhoWaits)
{
    destination_limit limit{1};
    parked_node a;
    parked_node b;
    ASSERT_TRUE(limit.try_take(7));
    limit.park(7, a);
    limit.park(7, b);
    EXPECT_TRUE(a.parked());
    EXPECT_EQ(limit.parked(), 2U);
    EXPECT_EQ(limit.give_back(7), &a);
    EXPECT_FALSE(a.parked());
    EXPECT_EQ(limit.in_use(7), 1U);
    EXPECT_FALSE(limit.try_take(7)) << "the place is taken for the one who waited";
    EXPECT_EQ(limit.give_back(7), &b);
    EXPECT_EQ(limit.give_back(7), nullptr);
    EXPECT_EQ(limit.size(), 0U);
}

TEST(DestinationLimit, ACancelledNodeGetsNoPlace)
{
    destination_limit limit{1};
    parked_node a;
    parked_node b;
    parked_node c;
    ASSERT_TRUE(limit.try_take(7));
    for (auto* node : {&a, &b, &c})
        limit.park(7, *node);
    EXPECT_TRUE(limit.unpark(b));
    EXPECT_FALSE(limit.unpark(b));
    EXPECT_TRUE(limit.unpark(a));
    EXPECT_EQ(limit.give_back(7), &c);
    EXPECT_EQ(limit.parked(), 0U);
    EXPECT_FALSE(limit.unpark(c));
}

TEST(DestinationLimit, AllocatesNothingOnceAsManyDestinationsHaveBeenBusyAsWillBe)
{
    destination_limit limit{1};
    for (std::uint64_t key = 0; key < 100'000; ++key) {
        ASSERT_TRUE(limit.try_take(key));
        if (key >= 50) {
            ASSERT_EQ(limit.give_back(key - 50), nullptr);
            ASSERT_EQ(limit.size(), 50U);
            ASSERT_EQ(limit.capacity(), 64U);
        }
    }
}

TEST(DestinationLimit, ParkedNodesSurviveItsGrowth)
{
    destination_limit limit{1};
    parked_node waiting;
    ASSERT_TRUE(limit.try_take(1));
    limit.park(1, waiting);
    for (std::uint64_t key = 2; key < 1000; ++key)
        ASSERT_TRUE(limit.try_take(key << 32));
    EXPECT_EQ(limit.give_back(1), &waiting);
}

class RandomDestinationLimit : public seeded {};

TEST_P(RandomDestinationLimit, BehavesAsAMapWould)
{
    struct place {
        unsigned taken = 0;
        std::deque<std::size_t> waiting;
    };
    auto const most = static_cast<unsigned>(1 + pick(4));
    auto const keys = 1 + pick(300);
    destination_limit limit{most};
    std::vector<parked_node> nodes(500);
    std::vector<std::uint64_t> node_key(nodes.size());
    std::map<std::uint64_t, place> model;
    auto key_of = [](std::uint64_t n) { return n * 0x0001000000000000 + n; };
    std::size_t parked = 0;
    for (int step = 0; step < 50'000; ++step) {
        auto const key = key_of(pick(keys));
        switch (pick(3)) {
        case 0: {
            auto& expected = model[key];
            auto const got = limit.try_take(key);
            ASSERT_EQ(got, expected.taken < most);
            if (got) {
                ++expected.taken;
                break;
            }
            auto const which = pick(nodes.size());
            if (nodes[which].parked())
                break;
            limit.park(key, nodes[which]);
            node_key[which] = key;
            expected.waiting.push_back(which);
            ++parked;
            break;
        }
        case 1: {
            auto& expected = model[key];
            if (expected.taken == 0)
                break;
            auto* heir = limit.give_back(key);
            if (expected.waiting.empty()) {
                ASSERT_EQ(heir, nullptr);
                --expected.taken;
            } else {
                ASSERT_EQ(heir, &nodes[expected.waiting.front()]);
                ASSERT_FALSE(heir->parked());
                expected.waiting.pop_front();
                --parked;
            }
            break;
        }
        default: {
            auto const which = pick(nodes.size());
            auto& waiting = model[node_key[which]].waiting;
            auto const at = std::find(waiting.begin(), waiting.end(), which);
            ASSERT_EQ(limit.unpark(nodes[which]), at != waiting.end());
            if (at != waiting.end()) {
                waiting.erase(at);
                --parked;
            }
        }
        }
        ASSERT_EQ(limit.in_use(key), model[key].taken);
        ASSERT_EQ(limit.parked(), parked);
        ASSERT_LE(limit.capacity(), 512U);
    }
    std::size_t busy = 0;
    for (auto const& [key, expected] : model)
        busy += expected.taken > 0 ? 1U : 0U;
    EXPECT_EQ(limit.size(), busy);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomDestinationLimit, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
