// Promises of every layout, for lists of types. `part_of` cuts the generated list of all attributes into parts that
// compile side by side: a new table is covered the day it is added.
#pragma once

#include "wire/bytes.hpp"

#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/registry.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <type_traits>
#include <utility>

namespace madrigal::test {

template <class... Lists>
struct joined;
template <>
struct joined<> {
    using type = testing::Types<>;
};
template <class... Types>
struct joined<testing::Types<Types...>> {
    using type = testing::Types<Types...>;
};
template <class... A, class... B, class... More>
struct joined<testing::Types<A...>, testing::Types<B...>, More...> : joined<testing::Types<A..., B...>, More...> {};

/// Each `Parts`th type of a list, beginning with the one at place `Part`, as GoogleTest takes it.
template <class List, std::size_t Part, std::size_t Parts>
struct part_of;
template <class... Types, std::size_t Part, std::size_t Parts>
struct part_of<type_list<Types...>, Part, Parts> {
    template <class Index>
    struct chosen;
    template <std::size_t... Index>
    struct chosen<std::index_sequence<Index...>> {
        using type = typename joined<
            std::conditional_t<Index % Parts == Part, testing::Types<Types>, testing::Types<>>...>::type;
    };
    using type = typename chosen<std::index_sequence_for<Types...>>::type;
};

struct layout_name {
    template <class T>
    static std::string GetName(int)
    {
        return std::string{T::layout.name};
    }
};

template <class T>
class EveryLayout : public testing::Test {};
TYPED_TEST_SUITE_P(EveryLayout);

// Bits that some field covers.
template <class T>
std::vector<std::byte> covered_bits()
{
    std::vector<std::byte> mask(T::layout.size);
    for (auto const& field : flat_fields<T>())
        for (unsigned element = 0; element != field.count; ++element)
            for (unsigned bit = 0; bit != field.width; ++bit)
                store_bits(mask.data(), field.element_offset(element) + bit, 1, 1);
    return mask;
}

TYPED_TEST_P(EveryLayout, ComesBackFromRandomBytesWithAllFieldsAndReservedBitsZero)
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

TYPED_TEST_P(EveryLayout, RefusesBytesThatAreTooShortAndIgnoresWhatFollows)
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

TYPED_TEST_P(EveryLayout, VisitsEveryFieldOnceInTheOrderOfItsTable)
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

TYPED_TEST_P(EveryLayout, ChangesOnlyTheBitsOfTheFieldThatChanges)
{
    TypeParam const zero{};
    ASSERT_EQ(encoded(zero), (std::array<std::byte, TypeParam::layout.size>{}));
    // Each field alone, with all its bits set on the wire: the value must be there and nowhere else.
    for (auto const& field : flat_fields<TypeParam>()) {
        std::vector<std::byte> bytes(TypeParam::layout.size);
        for (unsigned element = 0; element != field.count; ++element)
            for (unsigned bit = 0; bit != field.width; ++bit)
                store_bits(bytes.data(), field.element_offset(element) + bit, 1, 1);
        auto const value = decode<TypeParam>(bytes).value();
        for_each_value(value, [&]<class One>(field_description const& other, std::size_t element, One const& one) {
            EXPECT_EQ(one != One{}, &other == &field) << other.name << '[' << element << ']';
        });
        auto const again = encoded(value);
        EXPECT_TRUE(std::equal(again.begin(), again.end(), bytes.begin())) << field.name;
    }
}

TYPED_TEST_P(EveryLayout, NamesItsFieldsOnceAndSaysWhatTheyMean)
{
    std::set<std::string_view> names;
    for (auto const& field : flat_fields<TypeParam>()) {
        EXPECT_FALSE(field.name.empty());
        EXPECT_FALSE(field.meaning.empty()) << field.name;
        EXPECT_TRUE(names.insert(field.name).second) << field.name << " twice";
    }
}

TYPED_TEST_P(EveryLayout, PrintsOneDottedLineForEachFieldAndElement)
{
    std::size_t lines = 0;
    for (auto const& field : flat_fields<TypeParam>())
        lines += field.count;
    for (std::uint32_t seed = 0; seed != 50; ++seed) {
        auto const text = to_text(decode<TypeParam>(random_bytes(TypeParam::layout.size, seed)).value());
        EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), lines);
        EXPECT_TRUE(text.starts_with(flat_fields<TypeParam>()[0].name));
        // Whatever the bytes are, a terminal gets no control characters.
        EXPECT_TRUE(std::all_of(
            text.begin(), text.end(), [](char c) { return c == '\n' || static_cast<unsigned char>(c) >= 0x20; }));
    }
}

TYPED_TEST_P(EveryLayout, IsTriviallyDestructibleForUseInCoroutines)
{
    EXPECT_TRUE(std::is_trivially_destructible_v<TypeParam>);
    EXPECT_TRUE(std::is_trivially_copyable_v<TypeParam>);
}

TYPED_TEST_P(EveryLayout, IsVisitedByItsDescriptorWithTheSameValues)
{
    auto const descriptor = describe_attribute<TypeParam>();
    auto const bytes = random_bytes(TypeParam::layout.size, 11);
    auto const value = decode<TypeParam>(bytes).value();
    EXPECT_EQ(descriptor.text(bytes), to_text(value));

    std::string text;
    EXPECT_TRUE(descriptor.visit(bytes, [&](field_description const& field, std::size_t element, field_value const& v) {
        detail::append_text_line(text, field, element, v.text);
        if (v.kind_of_value != field_value::kind::text) {
            EXPECT_EQ(v.number, load_bits(bytes.data(), field.element_offset(element), field.width)) << field.name;
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

REGISTER_TYPED_TEST_SUITE_P(EveryLayout, ComesBackFromRandomBytesWithAllFieldsAndReservedBitsZero,
    RefusesBytesThatAreTooShortAndIgnoresWhatFollows, VisitsEveryFieldOnceInTheOrderOfItsTable,
    ChangesOnlyTheBitsOfTheFieldThatChanges, NamesItsFieldsOnceAndSaysWhatTheyMean,
    PrintsOneDottedLineForEachFieldAndElement, IsTriviallyDestructibleForUseInCoroutines,
    IsVisitedByItsDescriptorWithTheSameValues);

} // namespace madrigal::test
