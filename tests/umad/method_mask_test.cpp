#include <madrigal/umad/method_mask.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace madrigal::umad {
namespace {

static_assert(std::is_trivially_destructible_v<method_mask>);

/// Methods of which each lies at another edge of a word.
class MethodMaskPlaces : public testing::TestWithParam<unsigned> {};

TEST_P(MethodMaskPlaces, MethodIsBitModuloTheWidthOfTheWordItsQuotientNames)
{
    auto const method = GetParam();
    auto const mask = method_mask{}.set(static_cast<std::uint8_t>(method));

    auto const wide = mask.words<std::uint64_t>();
    for (unsigned word = 0; word != 2; ++word)
        EXPECT_EQ(wide[word], word == method / 64 ? std::uint64_t{1} << method % 64 : 0) << "64-bit word " << word;

    auto const narrow = mask.words<std::uint32_t>();
    for (unsigned word = 0; word != 4; ++word)
        EXPECT_EQ(narrow[word], word == method / 32 ? 1u << method % 32 : 0) << "32-bit word " << word;
}

INSTANTIATE_TEST_SUITE_P(
    Edges, MethodMaskPlaces, testing::Values(0u, 0x01u, 0x05u, 31u, 32u, 63u, 64u, 95u, 96u, 0x7Fu));

TEST(MethodMask, Method0x05IsBit5OfTheFirstNativeLong)
{
    EXPECT_EQ(method_mask::of(0x05).words<unsigned long>().front(), 0x20UL);
}

TEST(MethodMask, Method0x7FIsTheTopBitOfTheLastNativeLong)
{
    EXPECT_EQ(method_mask::of(0x7F).words<unsigned long>().back(), 1UL << (sizeof(long) * 8 - 1));
}

TEST(MethodMask, HoldsExactlyTheMethodsThatWereSet)
{
    auto const mask = method_mask::of(0x01, 0x02, 0x12, 0x40, 0x7F);
    for (unsigned method = 0; method != 256; ++method) {
        bool const is_set = method == 0x01 || method == 0x02 || method == 0x12 || method == 0x40 || method == 0x7F;
        EXPECT_EQ(mask.test(static_cast<std::uint8_t>(method)), is_set) << method;
    }
    EXPECT_FALSE(mask.empty());
    EXPECT_TRUE(method_mask{}.empty());
}

TEST(MethodMask, RoundTripsThroughTheWordsOfTheSecondCall)
{
    auto const mask = method_mask::of(0x00, 0x05, 0x3F, 0x40, 0x7F);
    EXPECT_EQ(method_mask::from_words(mask.words<std::uint64_t>()), mask);
}

TEST(MethodMask, ResponseMethodsCannotBeRegistered)
{
    for (unsigned method = 0x80; method != 0x100; ++method)
        EXPECT_THROW(method_mask{}.set(static_cast<std::uint8_t>(method)), std::out_of_range) << method;
}

TEST(MethodMask, IsUsableInConstantExpressions)
{
    constexpr auto mask = method_mask::of(0x01) | method_mask::of(0x02);
    static_assert(mask.test(0x01) && mask.test(0x02) && !mask.test(0x03));
    static_assert(mask.words<std::uint64_t>()[0] == 6);
}

} // namespace
} // namespace madrigal::umad
