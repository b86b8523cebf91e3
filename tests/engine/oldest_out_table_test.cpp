#include "engine/seeds.hpp"

#include <madrigal/engine/oldest_out_table.hpp>

#include <algorithm>
#include <deque>

namespace madrigal::engine {
namespace {

using testing::seeded;

TEST(OldestOutTable, FindsWhatIsThereAndNothingElse)
{
    oldest_out_table<int> table{3};
    EXPECT_TRUE(table.empty());
    table.add(7, 70);
    table.add(0, 1);
    ASSERT_NE(table.find(7), nullptr);
    EXPECT_EQ(*table.find(7), 70);
    EXPECT_EQ(*table.find(0), 1);
    EXPECT_EQ(table.find(8), nullptr);
    EXPECT_EQ(table.size(), 2U);
    EXPECT_FALSE(table.full());
    table.add(8, 80);
    EXPECT_TRUE(table.full());
}

TEST(OldestOutTable, TheOldestIsTheOneNotRenewed)
{
    oldest_out_table<int> table{3};
    table.add(1, 10);
    table.add(2, 20);
    table.add(3, 30);
    table.renew(1);
    table.renew(9); // nobody
    EXPECT_EQ(table.oldest_key(), 2U);
    EXPECT_EQ(table.take_oldest(), 20);
    EXPECT_EQ(table.take_oldest(), 30);
    EXPECT_EQ(table.take_oldest(), 10);
    EXPECT_TRUE(table.empty());
    EXPECT_EQ(table.find(1), nullptr);
}

TEST(OldestOutTable, HasOnePlaceAtLeast)
{
    oldest_out_table<int> table{0};
    EXPECT_EQ(table.capacity(), 1U);
    table.add(5, 50);
    EXPECT_TRUE(table.full());
    EXPECT_EQ(table.take_oldest(), 50);
}

class RandomOldestOutTable : public seeded {};

TEST_P(RandomOldestOutTable, BehavesLikeAListOfPairs)
{
    std::size_t const capacity = 1 + pick(40);
    oldest_out_table<std::uint64_t> table{capacity};
    std::deque<std::pair<std::uint64_t, std::uint64_t>> model; // the oldest first
    for (std::uint64_t step = 0; step != 50'000; ++step) {
        std::uint64_t const key = pick(64) << (pick(2) * 20);
        auto const at = std::find_if(model.begin(), model.end(), [&](auto const& one) { return one.first == key; });
        auto const* const found = table.find(key);
        ASSERT_EQ(found != nullptr, at != model.end());
        if (found != nullptr) {
            ASSERT_EQ(*found, at->second);
            if (pick(2) == 0) {
                table.renew(key);
                auto const renewed = *at;
                model.erase(at);
                model.push_back(renewed);
            }
        } else {
            if (table.full()) {
                ASSERT_EQ(model.size(), capacity);
                ASSERT_EQ(table.oldest_key(), model.front().first);
                ASSERT_EQ(table.take_oldest(), model.front().second);
                model.pop_front();
            }
            table.add(key, step);
            model.emplace_back(key, step);
        }
        if (pick(10) == 0 && !model.empty()) {
            ASSERT_EQ(table.take_oldest(), model.front().second);
            model.pop_front();
        }
        ASSERT_EQ(table.size(), model.size());
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomOldestOutTable, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
