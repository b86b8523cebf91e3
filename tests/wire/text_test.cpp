#include "wire/bytes.hpp"

#include <madrigal/wire/attributes/node_description.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/port_info.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace madrigal {
namespace {

using testing::HasSubstr;

TEST(Text, LinesUpAtColumn33AsSmpqueryDoes)
{
    EXPECT_THAT(
        to_text(node_info{.type = node_type::switch_}), HasSubstr("\nNodeType:........................Switch\n"));
    EXPECT_THAT(to_text(node_info{.node_guid = guid{0x0002c9030005f34a}}),
        HasSubstr("\nNodeGUID:........................0x0002c9030005f34a\n"));
}

TEST(Text, KeepsADotBehindANameThatIsTooLong)
{
    EXPECT_THAT(to_text(port_info{}), HasSubstr("\nMulticastPKeyTrapSuppressionEnabled:.0\n"));
}

TEST(Text, GivesMasksAsNumberAndNames)
{
    port_info port;
    port.capability_mask = {port_capability::is_sm, port_capability::trap, port_capability::hierarchy_info};
    port.capability_mask.set(port_capability{1});
    port.capability_mask2 = port_capability2::link_speed_hdr;
    port.link_width_supported = {link_width::x1, link_width::x4};
    auto const text = to_text(port);
    EXPECT_THAT(text, HasSubstr("CapabilityMask:..................0x8000000b (0x00000001, IsSM, IsTrapSupported, "
                                "IsHierarchyInfoSupported)\n"));
    EXPECT_THAT(text, HasSubstr("CapabilityMask2:.................0x0020 (IsLinkSpeedHDRSupported)\n"));
    EXPECT_THAT(text, HasSubstr("LinkWidthSupported:..............0x03 (1x, 4x)\n"));
    EXPECT_THAT(text, HasSubstr("LinkWidthEnabled:................0x00\n"));
}

TEST(CapabilityMask, NamesEveryBitButTheReservedOnes)
{
    for (unsigned bit = 0; bit != 32; ++bit)
        EXPECT_EQ(to_string(port_capability{1U << bit}).starts_with("Is"), bit != 0 && bit != 13) << bit;
    for (unsigned bit = 0; bit != 16; ++bit)
        EXPECT_EQ(to_string(port_capability2(1U << bit)).starts_with("Is"), bit <= 12) << bit;
}

TEST(Flags, HoldKnownAndUnknownBits)
{
    port_capabilities set{port_capability::notice, port_capability::trap};
    EXPECT_EQ(set.value(), 0xCU);
    EXPECT_TRUE(set.has(port_capability::trap));
    set.set(port_capability::trap, false);
    EXPECT_FALSE(set.has(port_capability::trap));
    EXPECT_EQ((set | port_capability::is_sm).value(), 0x6U);
    EXPECT_EQ((set & port_capability::is_sm).value(), 0x0U);
    EXPECT_EQ(port_capabilities::from_value(0xFFFFFFFF).value(), 0xFFFFFFFFU);
    EXPECT_TRUE(port_capabilities{}.empty());
}

TEST(NodeDescription, EndsAtTheFirstZeroByteOrTheFieldsEnd)
{
    EXPECT_EQ(to_string(fixed_text<64>{"node 1"}), "node 1");
    EXPECT_EQ(to_string(fixed_text<4>{"node 1"}), "node");
    EXPECT_EQ(fixed_text<8>(std::string_view("a\0b", 3)).view(), "a");
    EXPECT_EQ(fixed_text<4>{"node"}.view().size(), 4U);
    EXPECT_EQ(to_string(fixed_text<4>{}), "");
}

TEST(NodeDescription, PrintsHostileBytesHarmlessly)
{
    EXPECT_EQ(printable("a\x1b[31mb\r\n\x7f"), "a\\x1b[31mb\\x0d\\x0a\\x7f");
    EXPECT_EQ(printable("back\\slash"), "back\\x5cslash");
    EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f") << "well-formed UTF-8 stays";
    EXPECT_EQ(printable("\xe2\x82\xac \xf0\x9f\x98\x80"), "\xe2\x82\xac \xf0\x9f\x98\x80");
    EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3") << "no UTF-8";
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
        "\\xc2\\x9b"
        "31m")
        << "a control character beyond ASCII";
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
    EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82") << "cut off";
}

TEST(Hexadecimal, HasAtLeastTheDigitsAskedFor)
{
    EXPECT_EQ(hexadecimal(0xabc, 4), "0x0abc");
    EXPECT_EQ(hexadecimal(0x12345, 4), "0x12345");
    EXPECT_EQ(hexadecimal(0, 0), "0x0");
    EXPECT_EQ(hexadecimal(~std::uint64_t{0}, 2), "0xffffffffffffffff");
}

} // namespace
} // namespace madrigal
