#include "wire/bytes.hpp"

#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/smp.hpp>

#include <gtest/gtest.h>

namespace madrigal {
namespace {

using packet = std::array<std::byte, mad_size>;

packet dirty()
{
    packet bytes;
    bytes.fill(std::byte{0xEE});
    return bytes;
}

void put(packet& bytes, std::size_t offset, std::string_view text)
{
    auto const part = test::hex(text);
    std::copy(part.begin(), part.end(), bytes.begin() + std::ptrdiff_t(offset));
}

TEST(Smp, DirectedRouteFillsEveryByteOfTheGoldenPacket)
{
    auto bytes = dirty();
    build_directed_route_smp(
        bytes, method::get, 0x0102030405060708, 0x0011, 0x0a0b0c0d, 0x1112131415161718, directed_route{0, 1, 254});
    packet expected{};
    put(expected, 0, "01 81 01 01  00 00 00 02  01 02 03 04 05 06 07 08  00 11 00 00  0a 0b 0c 0d");
    put(expected, 24, "11 12 13 14 15 16 17 18  ff ff ff ff");
    put(expected, 128, "00 01 fe");
    EXPECT_EQ(bytes, expected);
}

TEST(Smp, DirectedRouteToTheLocalNodeHasNoHops)
{
    auto bytes = dirty();
    build_directed_route_smp(bytes, {.transaction_id = 1, .attribute_id = 0x0010}, directed_route{});
    auto const smp = decode<directed_route_smp>(bytes).value();
    EXPECT_EQ(smp.hop_count, 0);
    EXPECT_EQ(smp.hop_pointer, 0);
    EXPECT_FALSE(smp.returning);
    EXPECT_EQ(smp.initial_path, smp_path{});
    EXPECT_EQ(smp.dr_slid, permissive_lid);
    EXPECT_EQ(smp.dr_dlid, permissive_lid);
}

TEST(Smp, MixedRouteNamesItsLids)
{
    auto bytes = dirty();
    build_directed_route_smp(bytes, {.method_of_mad = method::set, .attribute_id = 0x0015, .attribute_modifier = 3},
        directed_route{0, 5}, lid{0x0102}, lid{0x0304});
    packet expected{};
    put(expected, 0, "01 81 01 02  00 00 00 01");
    put(expected, 16, "00 15 00 00  00 00 00 03");
    put(expected, 32, "01 02 03 04");
    put(expected, 128, "00 05");
    EXPECT_EQ(bytes, expected);
}

TEST(Smp, DirectedRouteOfSixtyThreeHopsFillsThePath)
{
    directed_route route;
    while (route.can_extend())
        route = route.extended(9);
    auto bytes = dirty();
    build_directed_route_smp(bytes, {}, route);
    auto const smp = decode<directed_route_smp>(bytes).value();
    EXPECT_EQ(smp.hop_count, 63);
    EXPECT_EQ(smp.initial_path[0], 0);
    EXPECT_EQ(smp.initial_path[63], 9);
    EXPECT_EQ(smp.return_path, smp_path{});
}

TEST(Smp, LidRoutedFillsEveryByteOfTheGoldenPacket)
{
    auto bytes = dirty();
    build_lid_routed_smp(bytes, method::set, 0x0102030405060708, 0x0019, 0x0000002f, 0x1112131415161718);
    packet expected{};
    put(expected, 0, "01 01 01 02  00 00 00 00  01 02 03 04 05 06 07 08  00 19 00 00  00 00 00 2f");
    put(expected, 24, "11 12 13 14 15 16 17 18");
    EXPECT_EQ(bytes, expected);
}

TEST(Smp, CarriesItsAttributeFromByte64)
{
    auto bytes = dirty();
    build_lid_routed_smp(bytes, {.attribute_id = 0x0011});
    node_info const info{.type = node_type::router, .node_guid = guid{0x55}};
    ASSERT_TRUE(mutable_mad_view{bytes}.set_attribute(info));
    EXPECT_EQ(decode<node_info>(smp_data(std::span<std::byte const, mad_size>{bytes})), info);
    EXPECT_EQ(bytes[64 + 2], std::byte{3});
    EXPECT_EQ(bytes[63], std::byte{0});
}

TEST(Smp, HeaderTableHasTheDirectionInTheTopStatusBit)
{
    packet bytes{};
    put(bytes, 0, "01 81 01 81  80 1c 03 02");
    auto const smp = decode<directed_route_smp>(bytes).value();
    EXPECT_TRUE(smp.returning);
    EXPECT_EQ(smp.status, 0x001c);
    EXPECT_EQ(smp.hop_pointer, 3);
    EXPECT_EQ(smp.hop_count, 2);
}

} // namespace
} // namespace madrigal
