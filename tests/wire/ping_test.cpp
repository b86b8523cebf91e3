// The ping of ibping's vendor class, byte by byte.
#include <madrigal/wire/ping.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace madrigal {
namespace {

using mad_bytes = std::array<std::byte, mad_size>;

mad_bytes built(std::uint32_t oui = ping_oui)
{
    mad_bytes bytes;
    bytes.fill(std::byte{0xEE});
    build_ping(bytes, oui);
    return bytes;
}

mad_bytes answer_of(std::string const& name)
{
    auto bytes = built();
    mutable_mad_view{bytes}.set_method(method::get_response);
    put_ping_name(mutable_mad_view{bytes}.data(), name);
    return bytes;
}

TEST(Ping, IsTheGetThatIbpingSends)
{
    mad_bytes wanted{};
    wanted[0] = std::byte{1};    // base version
    wanted[1] = std::byte{0x32}; // class
    wanted[2] = std::byte{1};    // class version
    wanted[3] = std::byte{1};    // Get
    wanted[37] = std::byte{0x00};
    wanted[38] = std::byte{0x14};
    wanted[39] = std::byte{0x05};
    EXPECT_EQ(built(), wanted);
    EXPECT_EQ(built(0x123456)[37], std::byte{0x12});
    EXPECT_EQ(built(0x123456)[38], std::byte{0x34});
    EXPECT_EQ(built(0x123456)[39], std::byte{0x56});
    EXPECT_EQ(ping_name_offset, 40U);
    EXPECT_EQ(ping_name_size, 216U);
}

TEST(Ping, IsToldFromEverythingElse)
{
    EXPECT_TRUE(is_ping(mad_view{built()}));
    EXPECT_FALSE(is_ping_answer(mad_view{built()}));
    EXPECT_TRUE(is_ping_answer(mad_view{answer_of("a")}));
    EXPECT_FALSE(is_ping(mad_view{answer_of("a")}));
    EXPECT_TRUE(is_ping(mad_view{built(0x123456)}, 0x123456));
    EXPECT_FALSE(is_ping(mad_view{built(0x123456)}));
    // One byte that is another: base version, class, class version, method, RMPP's Active flag, OUI.
    for (std::size_t const at : {0U, 1U, 2U, 3U, 26U, 37U, 38U, 39U}) {
        auto bytes = built();
        bytes[at] ^= std::byte{3};
        EXPECT_FALSE(is_ping(mad_view{bytes})) << at;
        EXPECT_FALSE(is_ping_answer(mad_view{bytes})) << at;
    }
    // What ibping's server does not look at either: attribute, modifier, data.
    for (std::size_t const at : {16U, 20U, 40U, 255U}) {
        auto bytes = built();
        bytes[at] ^= std::byte{3};
        EXPECT_TRUE(is_ping(mad_view{bytes})) << at;
    }
}

TEST(Ping, ThatIsCutOffIsNone)
{
    auto const bytes = built();
    std::span<std::byte const> const all{bytes};
    EXPECT_FALSE(is_ping(mad_view{all.first(24)}));
    EXPECT_FALSE(is_ping(mad_view{all.first(39)}));
    EXPECT_TRUE(is_ping(mad_view{all.first(40)}));
    EXPECT_EQ(ping_name(mad_view{all.first(24)}), "");
}

TEST(Ping, CarriesANameThatEndsWithANullByte)
{
    auto const bytes = answer_of("alpha.example");
    EXPECT_EQ(ping_name(mad_view{bytes}), "alpha.example");
    EXPECT_EQ(bytes[40], std::byte{'a'});
    EXPECT_TRUE(std::all_of(bytes.begin() + 53, bytes.end(), [](auto one) { return one == std::byte{0}; }));
    EXPECT_EQ(ping_name(mad_view{answer_of("")}), "");
    EXPECT_EQ(ping_name(mad_view{answer_of(std::string(215, 'x'))}), std::string(215, 'x'));
    EXPECT_EQ(ping_name(mad_view{answer_of(std::string(1000, 'x'))}), std::string(215, 'x'))
        << "what is too long is cut, and the null byte stays";
    put_ping_name({}, "nowhere to put it");
}

TEST(Ping, FromAnybodyHasANameThatCanBePrinted)
{
    auto bytes = answer_of("");
    std::fill(bytes.begin() + 40, bytes.end(), std::byte{'x'});
    EXPECT_EQ(ping_name(mad_view{bytes}), std::string(216, 'x')) << "no null byte";
    std::span<std::byte const> const all{bytes};
    EXPECT_EQ(ping_name(mad_view{all.first(44)}), "xxxx") << "cut off";
    bytes = answer_of("a\x1b[31mb\\\xff\n");
    EXPECT_EQ(ping_name(mad_view{bytes}), R"(a\x1b[31mb\x5c\xff\x0a)");
}

} // namespace
} // namespace madrigal
