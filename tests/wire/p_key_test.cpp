#include <madrigal/wire/p_key.hpp>

#include <gtest/gtest.h>

#include <array>

namespace madrigal {
namespace {

TEST(PKey, MatchesInItsPartitionWhereOneOfTwoIsAFullMember)
{
    EXPECT_TRUE(p_keys_match(0x8001, 0x8001));
    EXPECT_TRUE(p_keys_match(0x8001, 0x0001));
    EXPECT_TRUE(p_keys_match(0x0001, 0x8001));
    EXPECT_FALSE(p_keys_match(0x0001, 0x0001)); // limited members do not talk to each other
    EXPECT_FALSE(p_keys_match(0x8001, 0x8002));
    EXPECT_TRUE(p_keys_match(default_p_key, 0x7FFF));
}

TEST(PKey, OfPartitionZeroMatchesNothing)
{
    EXPECT_FALSE(p_keys_match(0x8000, 0x8000));
    EXPECT_FALSE(p_keys_match(0x8000, 0x0000));
    EXPECT_FALSE(p_keys_match(0x0000, 0x0000));
}

TEST(PKey, IsHeldByATableWithOneThatMatches)
{
    std::array<std::uint16_t, 3> const table{0, 0x0001, 0x8002};
    EXPECT_TRUE(holds_p_key(table, 0x8001));
    EXPECT_TRUE(holds_p_key(table, 0x0002));
    EXPECT_FALSE(holds_p_key(table, 0x0001));
    EXPECT_FALSE(holds_p_key(table, default_p_key));
    EXPECT_FALSE(holds_p_key({}, default_p_key));
}

} // namespace
} // namespace madrigal
