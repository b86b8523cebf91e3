#include <load/match_table.hpp>
#include <load/request_places.hpp>

#include <gtest/gtest.h>

namespace madrigal::bench {
namespace {

using time_point = match_table::time_point;

time_point at(int nanoseconds)
{
    return time_point{std::chrono::nanoseconds{nanoseconds}};
}

TEST(MatchTable, FindsEachRequestOnce)
{
    match_table table{2};
    EXPECT_TRUE(table.put(7, at(70)));
    EXPECT_TRUE(table.put(8, at(80)));
    EXPECT_FALSE(table.put(9, at(90))) << "it is full";
    EXPECT_EQ(table.take(8), at(80));
    EXPECT_EQ(table.take(8), std::nullopt);
    EXPECT_TRUE(table.put(9, at(90)));
    EXPECT_EQ(table.take(9), at(90));
    EXPECT_EQ(table.take(7), at(70));
}

TEST(RequestPlaces, KnowOnlyThePresentRequestOfAPlace)
{
    request_places places{3};
    auto const first = places.next_id(2, at(1));
    EXPECT_EQ(places.find(first), 2u);
    auto const second = places.next_id(2, at(2));
    EXPECT_NE(first, second);
    EXPECT_EQ(places.find(first), std::nullopt);
    EXPECT_EQ(places.find(second), 2u);
    EXPECT_EQ(places.begun(2), at(2));
    EXPECT_EQ(places.find(second + 1), std::nullopt) << "a place that there is not";
}

TEST(RequestPlaces, GiveIdsThatDifferForThousandsOfTurns)
{
    request_places places{1};
    auto const first = places.next_id(0, at(0));
    for (int i = 0; i != 4'000; ++i)
        ASSERT_NE(places.next_id(0, at(i)), first);
}

} // namespace
} // namespace madrigal::bench
