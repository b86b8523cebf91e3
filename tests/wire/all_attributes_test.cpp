// Promises of every layout, run over the generated list: a new table is covered the day it is added.
#include "wire/bytes.hpp"

#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/registry.hpp>
#include <madrigal/wire/smp.hpp>
#include <madrigal/wire/trap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace madrigal {
namespace {

using test::random_bytes;

template <class List, class... More>
struct as_test_types;
template <class... Types, class... More>
struct as_test_types<type_list<Types...>, More...> {
    using type = testing::Types<Types..., More...>;
};
using all_layouts = as_test_types<all_attributes, mad_header, lid_routed_smp, directed_route_smp, gid_trap,
    link_state_trap, threshold_trap, local_changes_trap, system_image_trap, bad_m_key_trap, bad_key_trap,
    switch_bad_p_key_trap>::type;

struct layout_name {
    template <class T>
    static std::string GetName(int)
    {
        return std::string{T::layout.name};
    }
};

template <class T>
class EveryLayout : public testing::Test {};
TYPED_TEST_SUITE(EveryLayout, all_layouts, layout_name);

// Bits that some field covers.
template <class T>
std::vector<std::byte> covered_bits()
{
    std::vector<std::byte> mask(T::layout.size);
    for (auto const& field : T::fields)
        for (unsigned bit = field.offset; bit != field.offset + field.width * field.count; ++bit)
            mask.at(bit / 8) |= static_cast<std::byte>(0x80U >> bit % 8);
    return mask;
}

TYPED_TEST(EveryLayout, ComesBackFromRandomBytesWithAllFieldsAndReservedBitsZero)
{
    auto const mask = covered_bits<TypeParam>();
    for (std::uint32_t seed = 0; seed != 200; ++seed) {
        auto const bytes = random_bytes(TypeParam::layout.size, seed);
        auto const value = decode<TypeParam>(bytes);
        ASSERT_TRUE(value);
        auto again = random_bytes(TypeParam::layout.size, seed + 1000);
        ASSERT_TRUE(encode(*value, again));
        for (std::size_t i = 0; i != bytes.size(); ++i)
            ASSERT_EQ(again[i], bytes[i] & mask[i]) << "byte " << i << ", seed " << seed;
        ASSERT_EQ(decode<TypeParam>(again), *value);
    }
}

TYPED_TEST(EveryLayout, RefusesBytesThatAreTooShortAndIgnoresWhatFollows)
{
    auto bytes = random_bytes(TypeParam::layout.size, 7);
    for (std::size_t size = 0; size != TypeParam::layout.size; ++size)
        ASSERT_FALSE(decode<TypeParam>(std::span{bytes}.first(size))) << size << " bytes";

    auto const value = decode<TypeParam>(bytes).value();
    std::vector<std::byte> too_short(TypeParam::layout.size - 1, std::byte{0xEE});
    EXPECT_FALSE(encode(value, too_short));
    EXPECT_EQ(std::count(too_short.begin(), too_short.end(), std::byte{0xEE}), TypeParam::layout.size - 1);

    std::vector<std::byte> longer(TypeParam::layout.size + 1, std::byte{0xEE});
    EXPECT_TRUE(encode(value, longer));
    EXPECT_EQ(longer.back(), std::byte{0xEE});
    EXPECT_EQ(decode<TypeParam>(longer), value);
}

TYPED_TEST(EveryLayout, VisitsEveryFieldOnceInTheOrderOfItsTable)
{
    TypeParam value{};
    std::size_t visited = 0;
    for_each_field(value, [&](field_description const& field, auto&) {
        ASSERT_LT(visited, TypeParam::fields.size());
        EXPECT_EQ(&field, &TypeParam::fields[visited]);
        ++visited;
    });
    EXPECT_EQ(visited, TypeParam::fields.size());
}

TYPED_TEST(EveryLayout, ChangesOnlyTheBitsOfTheFieldThatChanges)
{
    TypeParam const zero{};
    ASSERT_EQ(encoded(zero), (std::array<std::byte, TypeParam::layout.size>{}));
    // Each field alone, with all its bits set on the wire: the value must be there and nowhere else.
    for (std::size_t chosen = 0; chosen != TypeParam::fields.size(); ++chosen) {
        std::vector<std::byte> bytes(TypeParam::layout.size);
        auto const& field = TypeParam::fields[chosen];
        for (unsigned element = 0; element != field.count; ++element)
            for (unsigned bit = 0; bit != field.width; ++bit)
                store_bits(bytes.data(), field.offset + element * field.width + bit, 1, 1);
        auto const value = decode<TypeParam>(bytes).value();
        std::size_t index = 0;
        for_each_field(value, [&]<class Member>(field_description const&, Member const& member) {
            EXPECT_EQ(member != Member{}, index == chosen) << TypeParam::fields[index].name;
            ++index;
        });
        auto const again = encoded(value);
        EXPECT_TRUE(std::equal(again.begin(), again.end(), bytes.begin())) << field.name;
    }
}

TYPED_TEST(EveryLayout, NamesItsFieldsOnceAndSaysWhatTheyMean)
{
    std::set<std::string_view> names;
    for (auto const& field : TypeParam::fields) {
        EXPECT_FALSE(field.name.empty());
        EXPECT_FALSE(field.meaning.empty()) << field.name;
        EXPECT_TRUE(names.insert(field.name).second) << field.name << " twice";
    }
}

TYPED_TEST(EveryLayout, PrintsOneDottedLineForEachFieldAndElement)
{
    std::size_t lines = 0;
    for (auto const& field : TypeParam::fields)
        lines += field.count;
    for (std::uint32_t seed = 0; seed != 50; ++seed) {
        auto const text = to_text(decode<TypeParam>(random_bytes(TypeParam::layout.size, seed)).value());
        EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), lines);
        EXPECT_TRUE(text.starts_with(TypeParam::fields[0].name));
        // Whatever the bytes are, a terminal gets no control characters.
        EXPECT_TRUE(std::all_of(
            text.begin(), text.end(), [](char c) { return c == '\n' || static_cast<unsigned char>(c) >= 0x20; }));
    }
}

TYPED_TEST(EveryLayout, IsTriviallyDestructibleForUseInCoroutines)
{
    EXPECT_TRUE(std::is_trivially_destructible_v<TypeParam>);
    EXPECT_TRUE(std::is_trivially_copyable_v<TypeParam>);
}

TYPED_TEST(EveryLayout, IsVisitedByItsDescriptorWithTheSameValues)
{
    auto const descriptor = describe_attribute<TypeParam>();
    auto const bytes = random_bytes(TypeParam::layout.size, 11);
    auto const value = decode<TypeParam>(bytes).value();
    EXPECT_EQ(descriptor.text(bytes), to_text(value));

    std::string text;
    EXPECT_TRUE(descriptor.visit(bytes, [&](field_description const& field, std::size_t element, field_value const& v) {
        if (field.count == 1)
            detail::append_text_line(text, field.name, v.text);
        else
            detail::append_text_line(text, field.name, element, v.text);
        if (v.kind_of_value != field_value::kind::text) {
            EXPECT_EQ(v.number, load_bits(bytes.data(), field.offset + field.width * unsigned(element), field.width))
                << field.name;
        }
    }));
    EXPECT_EQ(text, to_text(value));

    std::vector<std::byte> again(TypeParam::layout.size);
    EXPECT_TRUE(descriptor.reencode(bytes, again));
    EXPECT_EQ(decode<TypeParam>(again), value);
    auto const too_short = std::span{bytes}.first(bytes.size() - 1);
    EXPECT_FALSE(descriptor.reencode(too_short, again));
    EXPECT_FALSE(descriptor.text(too_short));
    EXPECT_FALSE(descriptor.visit(too_short, [](auto&&...) { FAIL() << "visited bytes that are too short"; }));
}

} // namespace
} // namespace madrigal
