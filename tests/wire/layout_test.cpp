// A table of one's own, outside the library's namespace and list.
#include "wire/bytes.hpp"

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/registry.hpp>

#include <gtest/gtest.h>

namespace somebody {

enum class colour : std::uint8_t { red = 1, green = 2 };
inline std::string to_string(colour value)
{
    return value == colour::red ? "red" : value == colour::green ? "green" : "?";
}
using three_levels = std::array<std::uint8_t, 3>;

// clang-format off
#define SOMEBODY_LAMP(field)                                                                                           \
    field(colour,        shade,  "Shade",   0,  4, "colour of the lamp")                                               \
    field(bool,          lit,    "Lit",     7,  1, "it is on")                                                         \
    field(std::uint16_t, serial, "Serial",  9, 15, "of the maker", hexadecimal)                                        \
    field(three_levels,  levels, "Level",  25,  5, "of each bulb")
// clang-format on
MADRIGAL_ATTRIBUTE(lamp, "Lamp", 0x0042, madrigal::attribute_scope{madrigal::management_class{0x32}}, 6, SOMEBODY_LAMP);

} // namespace somebody

namespace madrigal {
namespace {

using somebody::colour;
using somebody::lamp;

constexpr lamp example{.shade = colour::green, .lit = true, .serial = 0x5123, .levels = {1, 2, 31}};

TEST(OwnAttribute, IsEncodedAsItsTableSays)
{
    constexpr auto bytes = encoded(example);
    // 0010 000 1 | 0 101 0001 0010 0011 | 0 00001 00010 11111 | 0
    EXPECT_EQ(std::vector(bytes.begin(), bytes.end()), test::hex("21 51 23 04 5F 00"));
    static_assert(decode<lamp>(bytes) == example);
}

TEST(OwnAttribute, PrintsLikeTheLibrarysOwn)
{
    EXPECT_EQ(to_text(example), "Shade:...........................green\n"
                                "Lit:.............................1\n"
                                "Serial:..........................0x5123\n"
                                "Level[0]:........................1\n"
                                "Level[1]:........................2\n"
                                "Level[2]:........................31\n");
}

TEST(OwnAttribute, BelongsToItsClassAlone)
{
    EXPECT_TRUE(lamp::layout.scope.contains(management_class{0x32}));
    EXPECT_FALSE(lamp::layout.scope.contains(management_class{0x33}));
    EXPECT_FALSE(lamp::layout.scope.contains(management_class::subnet_lid_routed));
    EXPECT_EQ(describe_attribute<lamp>().layout.id, 0x0042);
}

TEST(OwnAttribute, WritesNoMoreOfAMemberThanItsFieldHolds)
{
    auto const bytes = encoded(lamp{.shade = colour{0xFF}, .serial = 0xFFFF});
    EXPECT_EQ(std::vector(bytes.begin(), bytes.end()), test::hex("F0 7F FF 00 00 00"));
}

// What the compiler refuses. The macros cannot be tried here, the checks behind them can.
static_assert(!detail::field_codec<std::uint8_t>::fits<0, 9>);
static_assert(detail::field_codec<std::uint8_t>::fits<3, 8>);
static_assert(!detail::field_codec<bool>::fits<0, 2>);
static_assert(!detail::field_codec<guid>::fits<0, 32>);
static_assert(!detail::field_codec<lid>::fits<0, 15>);
static_assert(!detail::field_codec<gid>::fits<4, 128>);
static_assert(!detail::field_codec<fixed_text<64>>::fits<0, 504>);
static_assert(!detail::field_codec<colour>::fits<0, 9>);
static_assert(!detail::fields_are_inside(std::to_array<field_description>({{"a", 8, 9, 1, "too long"}}), 2));
static_assert(!detail::fields_are_inside(std::to_array<field_description>({{"a", 0, 5, 4, "too many"}}), 2));
static_assert(detail::fields_are_inside(std::to_array<field_description>({{"a", 8, 8, 1, "fits"}}), 2));
static_assert(!detail::fields_are_apart(std::to_array<field_description>({{"a", 0, 4, 1, ""}, {"b", 3, 4, 1, ""}})));
static_assert(!detail::fields_are_apart(std::to_array<field_description>({{"a", 0, 4, 3, ""}, {"b", 11, 1, 1, ""}})));
static_assert(detail::fields_are_apart(std::to_array<field_description>({{"a", 4, 4, 1, ""}, {"b", 0, 4, 1, ""}})));

} // namespace
} // namespace madrigal
