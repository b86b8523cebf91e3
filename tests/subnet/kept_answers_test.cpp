#include <madrigal/subnet/kept_answers.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace madrigal {
namespace {

std::vector<std::byte> answer(unsigned value, std::size_t size = smp_data_size)
{
    return std::vector<std::byte>(size, static_cast<std::byte>(value));
}

bool is(kept_answers::data const* found, std::vector<std::byte> const& wanted)
{
    return found != nullptr && std::ranges::equal(*found, wanted);
}

TEST(KeptAnswers, FindsWhatWasKeptByRowAndModifierAndNothingElse)
{
    kept_answers kept;
    EXPECT_EQ(kept.find(0, 0), nullptr);
    kept.make_room(2, std::array{7U, 0x0201U, 3U});
    EXPECT_EQ(kept.places(), 3U);
    EXPECT_EQ(kept.find(2, 7), nullptr); // room, but nothing in it
    EXPECT_TRUE(kept.keep(2, 7, answer(1)));
    EXPECT_TRUE(kept.keep(2, 0x0201, answer(2)));
    EXPECT_TRUE(is(kept.find(2, 7), answer(1)));
    EXPECT_TRUE(is(kept.find(2, 0x0201), answer(2)));
    EXPECT_EQ(kept.find(2, 3), nullptr);
    EXPECT_EQ(kept.find(1, 7), nullptr);
    EXPECT_EQ(kept.find(3, 7), nullptr);
    EXPECT_EQ(kept.find(2, 8), nullptr);
}

TEST(KeptAnswers, KeepsNothingForWhichNoRoomWasMade)
{
    kept_answers kept;
    EXPECT_FALSE(kept.keep(0, 0, answer(1)));
    kept.make_room(1, std::array{5U});
    EXPECT_FALSE(kept.keep(1, 4, answer(1)));
    EXPECT_FALSE(kept.keep(0, 5, answer(1)));
    EXPECT_EQ(kept.different(), 0U);
}

TEST(KeptAnswers, MoreRoomLeavesWhatIsKeptAlone)
{
    kept_answers kept;
    kept.make_room(0, std::array{4U, 2U});
    EXPECT_TRUE(kept.keep(0, 4, answer(1)));
    kept.make_room(0, std::array{1U, 4U, 9U});
    EXPECT_EQ(kept.places(), 4U);
    EXPECT_TRUE(is(kept.find(0, 4), answer(1)));
    EXPECT_EQ(kept.find(0, 1), nullptr);
    kept.make_room(9, {});
    EXPECT_EQ(kept.places(), 4U);
}

TEST(KeptAnswers, EqualAnswersAreInMemoryOnce)
{
    kept_answers kept;
    std::vector<std::uint32_t> modifiers(1000);
    for (std::uint32_t i = 0; i != modifiers.size(); ++i)
        modifiers[i] = i;
    for (std::size_t row = 0; row != 3; ++row) {
        kept.make_room(row, modifiers);
        for (auto const modifier : modifiers)
            ASSERT_TRUE(kept.keep(row, modifier, answer(modifier % 2)));
    }
    EXPECT_EQ(kept.places(), 3000U);
    EXPECT_EQ(kept.different(), 2U);
    EXPECT_EQ(kept.find(0, 0), kept.find(2, 998));
}

TEST(KeptAnswers, ALaterAnswerTakesTheEarliersPlaceAndShortOnesAreFilledWithZeroes)
{
    kept_answers kept;
    kept.make_room(0, std::array{0U});
    EXPECT_TRUE(kept.keep(0, 0, answer(1)));
    EXPECT_TRUE(kept.keep(0, 0, answer(0xFF, 8)));
    auto wanted = answer(0);
    std::fill_n(wanted.begin(), 8, std::byte{0xFF});
    EXPECT_TRUE(is(kept.find(0, 0), wanted));
    EXPECT_TRUE(kept.keep(0, 0, answer(3, 100)));
    EXPECT_TRUE(is(kept.find(0, 0), answer(3)));
}

} // namespace
} // namespace madrigal
