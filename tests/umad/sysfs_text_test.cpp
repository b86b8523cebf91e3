#include "umad/sysfs_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace madrigal::umad::sysfs {
namespace {

constexpr std::uint64_t no_limit = ~std::uint64_t{0};

TEST(SysfsText, NumbersAreDecimalOrHexadecimal)
{
    EXPECT_EQ(parse_number("0", no_limit), 0u);
    EXPECT_EQ(parse_number("12", no_limit), 12u);
    EXPECT_EQ(parse_number("0x1f", no_limit), 0x1fu);
    EXPECT_EQ(parse_number("0XFFFF", no_limit), 0xFFFFu);
    EXPECT_EQ(parse_number("18446744073709551615", no_limit), no_limit);
}

TEST(SysfsText, NumbersOfAnyOtherShapeAreRefused)
{
    for (std::string const text : {"", " ", "-1", "+1", " 1", "1 ", "1x", "0x", "0x-1", "0x+1", "0xg", "one", "1.5",
             "1\n", "18446744073709551616", "0x10000000000000000", "99999999999999999999999", "4: ACTIVE"})
        EXPECT_FALSE(parse_number(text, no_limit)) << '"' << text << '"';
    EXPECT_FALSE(parse_number(std::string_view{"1\0", 2}, no_limit));
}

TEST(SysfsText, NumbersAboveTheLimitAreRefused)
{
    EXPECT_EQ(parse_number("0xFFFF", 0xFFFF), 0xFFFFu);
    EXPECT_FALSE(parse_number("0x10000", 0xFFFF));
}

TEST(SysfsText, NamedNumbersMayLackTheName)
{
    EXPECT_EQ(parse_named_number("4: ACTIVE", 5), 4u);
    EXPECT_EQ(parse_named_number("4", 5), 4u);
    EXPECT_EQ(parse_named_number("0: <unknown>", 5), 0u);
    for (auto const* const text : {"", ":", ": ACTIVE", "ACTIVE", "6: ?", "4 : ACTIVE", "-4: x"})
        EXPECT_FALSE(parse_named_number(text, 5)) << text;
}

TEST(SysfsText, RatesAreRoundedDown)
{
    EXPECT_EQ(parse_rate("100 Gb/sec (4X EDR)"), 100u);
    EXPECT_EQ(parse_rate("2.5 Gb/sec (1X SDR)"), 2u);
    EXPECT_EQ(parse_rate("1600 Gb/sec (8X XDR)"), 1600u);
    EXPECT_EQ(parse_rate("10 Gb/sec (4X)"), 10u);
    for (auto const* const text :
        {"", "fast", "-1 Gb/sec", ".5 Gb/sec", "2. Gb/sec", "2.x Gb/sec", "99999999999 Gb/sec"})
        EXPECT_FALSE(parse_rate(text)) << text;
}

TEST(SysfsText, GuidsHaveFourGroups)
{
    EXPECT_EQ(parse_guid("0002:c903:0005:f34a"), guid{0x0002'c903'0005'f34aULL});
    EXPECT_EQ(parse_guid("0000:0000:0000:0000"), guid{});
    EXPECT_EQ(parse_guid("FFFF:ffff:FFFF:ffff"), guid{no_limit});
    for (auto const* const text : {"", "0002c9030005f34a", "0x0002c9030005f34a", "0002:c903:0005", "0002:c903:0005:f34",
             "0002:c903:0005:f34a:", "0002:c903:0005:f34a0", "0002-c903-0005-f34a", "0002:c903:0005:f34g",
             "0002:c903: 005:f34a", "0002:c903:-005:f34a", "0002:c903:0x05:f34a"})
        EXPECT_FALSE(parse_guid(text)) << text;
}

TEST(SysfsText, GidsHaveEightGroups)
{
    auto const value = parse_gid("fe80:0000:0000:0000:0002:c903:0005:f34b");
    ASSERT_TRUE(value);
    EXPECT_EQ(value->subnet_prefix(), default_subnet_prefix);
    EXPECT_EQ(value->interface_id(), guid{0x0002'c903'0005'f34bULL});
    for (auto const* const text :
        {"", "fe80::1", "0002:c903:0005:f34a", "fe80:0000:0000:0000:0002:c903:0005:f34b:0000"})
        EXPECT_FALSE(parse_gid(text)) << text;
}

TEST(SysfsText, NumberedNamesHaveNothingButTheNumberAfterThePrefix)
{
    EXPECT_EQ(parse_numbered_name("umad0", "umad", 1000), 0u);
    EXPECT_EQ(parse_numbered_name("umad128", "umad", 1000), 128u);
    EXPECT_EQ(parse_numbered_name("12", "", 1000), 12u);
    for (auto const* const name : {"umad", "umad-1", "umad1x", "issm0", "abi_version", "umad1001", "umad 1"})
        EXPECT_FALSE(parse_numbered_name(name, "umad", 1000)) << name;
}

} // namespace
} // namespace madrigal::umad::sysfs
