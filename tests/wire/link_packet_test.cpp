// Packets on a link against bytes put together by hand from the tables of the IBA.
#include "wire/bytes.hpp"

#include <madrigal/wire/link_packet.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace madrigal {
namespace {

using test::hex;
using test::random_bytes;

/// Memory that shows whether every byte was written.
std::array<std::byte, max_link_packet_size> dirty()
{
    std::array<std::byte, max_link_packet_size> bytes{};
    bytes.fill(std::byte{0xA5});
    return bytes;
}

std::vector<std::byte> built(mad_route const& route, std::span<std::byte const> mad)
{
    auto packet = dirty();
    auto const filled = build_link_packet(packet, route, mad);
    return {filled.begin(), filled.end()};
}

std::vector<std::byte> part(std::vector<std::byte> const& of, std::size_t from, std::size_t count)
{
    auto const bytes = std::span{of}.subspan(from, count);
    return {bytes.begin(), bytes.end()};
}

/// A directed-route Get: its first bytes, the others are 0.
std::vector<std::byte> short_mad()
{
    return hex("01 81 01 01");
}

mad_route directed()
{
    mad_route route;
    route.source = route.destination = permissive_lid;
    route.virtual_lane = management_lane;
    return route;
}

mad_route global()
{
    mad_route route;
    route.source = lid{5};
    route.destination = lid{12};
    route.service_level = 5;
    route.global = mad_global_route{.source = gid{default_subnet_prefix, guid{0x0002'c903'0000'0001}},
        .destination = gid{default_subnet_prefix, guid{0x0002'c903'0000'0002}},
        .traffic_class = 0xAB,
        .flow_label = 0xCDEF0,
        .hop_limit = 64};
    route.p_key = 0x8001;
    route.q_key = 0x8001'0000;
    route.source_qp = 0x123;
    route.destination_qp = 1;
    route.sequence_number = 0xAB'CDEF;
    return route;
}

TEST(LinkPacket, PutsLrhBthAndDethBeforeAMadWithoutGrh)
{
    auto const packet = built(directed(), short_mad());
    ASSERT_EQ(packet.size(), 290u);
    // VL 15, LVer 0; SL 0, LNH 2; DLID; 72 words; SLID
    EXPECT_EQ(part(packet, 0, 8), hex("F0 02 FF FF 00 48 FF FF"));
    // UD send only; nothing solicited; P_Key; QP 0; PSN 0
    EXPECT_EQ(part(packet, 8, 12), hex("64 00 FF FF 00 00 00 00 00 00 00 00"));
    EXPECT_EQ(part(packet, 20, 8), hex("00 00 00 00 00 00 00 00"));
}

TEST(LinkPacket, PutsTheGrhBetweenLrhAndBth)
{
    auto const packet = built(global(), short_mad());
    ASSERT_EQ(packet.size(), 330u);
    // VL 0; SL 5, LNH 3; DLID; 82 words; SLID
    EXPECT_EQ(part(packet, 0, 8), hex("00 53 00 0C 00 52 00 05"));
    // IPVer 6, TClass, FlowLabel; 280 bytes, NxtHdr, HopLmt; SGID; DGID
    EXPECT_EQ(part(packet, 8, 8), hex("6A BC DE F0 01 18 1B 40"));
    EXPECT_EQ(part(packet, 16, 16), hex("FE 80 00 00 00 00 00 00 00 02 C9 03 00 00 00 01"));
    EXPECT_EQ(part(packet, 32, 16), hex("FE 80 00 00 00 00 00 00 00 02 C9 03 00 00 00 02"));
    EXPECT_EQ(part(packet, 48, 12), hex("64 00 80 01 00 00 00 01 00 AB CD EF"));
    EXPECT_EQ(part(packet, 60, 8), hex("80 01 00 00 00 00 01 23"));
}

TEST(LinkPacket, CarriesTheMadWhole)
{
    auto const mad = random_bytes(mad_size, 1);
    EXPECT_EQ(part(built(directed(), mad), 28, mad_size), mad);
    EXPECT_EQ(part(built(global(), mad), 68, mad_size), mad);
}

TEST(LinkPacket, FillsAShortMadUpWithZeros)
{
    auto const packet = built(directed(), short_mad());
    EXPECT_EQ(part(packet, 28, 4), short_mad());
    EXPECT_EQ(part(packet, 32, 252), std::vector<std::byte>(252));
}

TEST(LinkPacket, TakesTheFirst256BytesOfALongMessage)
{
    auto const message = random_bytes(1000, 2);
    auto const packet = built(directed(), message);
    ASSERT_EQ(packet.size(), 290u);
    EXPECT_EQ(part(packet, 28, mad_size), part(message, 0, mad_size));
}

TEST(LinkPacket, KeepsFieldsWithinTheirBits)
{
    auto route = global();
    route.virtual_lane = 0xF3;
    route.service_level = 0xF5;
    route.global->flow_label = 0xFFFC'DEF0;
    route.source_qp = 0xFF00'0123;
    route.destination_qp = 0xFF00'0001;
    route.sequence_number = 0xFFAB'CDEF;
    auto expected = global();
    expected.virtual_lane = 3;
    EXPECT_EQ(built(route, short_mad()), built(expected, short_mad()));
}

/// A packet whose sums the IBA prints as an example: an RDMA write without GRH.
constexpr std::string_view iba_example = "70 12 37 5C 00 0E 17 D2 0A 20 24 87 00 87 B1 B3 00 0D EC 2A"
                                         "01 71 0A 1C 01 5D 40 02 38 F2 7A 05 00 00 00 0E"
                                         "BB 88 4D 85 FD 5C FB A4 72 8B C0 69 0E D4 00 00";

TEST(LinkPacketSums, AreThoseOfTheIbasExample)
{
    auto packet = hex(iba_example);
    auto const icrc = invariant_crc(packet);
    EXPECT_EQ((std::vector<std::byte>{icrc.begin(), icrc.end()}), hex("96 25 B7 5A"));
    packet.insert(packet.end(), icrc.begin(), icrc.end());
    auto const vcrc = variant_crc(packet);
    EXPECT_EQ((std::vector<std::byte>{vcrc.begin(), vcrc.end()}), hex("45 FA"));
}

TEST(LinkPacketSums, StandAtTheEnd)
{
    EXPECT_EQ(part(built(directed(), short_mad()), 284, 6), hex("00 D4 19 54 50 73"));
    EXPECT_EQ(part(built(global(), short_mad()), 324, 6), hex("01 34 B1 92 3A 52"));
}

TEST(LinkPacketSums, ForgetWhatChangesOnTheWay)
{
    auto const icrc = [](mad_route const& route) {
        return part(built(route, short_mad()), route.global ? 324 : 284, 4);
    };
    auto local = directed();
    local.virtual_lane = 3;
    EXPECT_EQ(icrc(local), icrc(directed()));
    local.destination = lid{7};
    EXPECT_NE(icrc(local), icrc(directed()));

    auto routed = global();
    routed.source = lid{77}; // a router writes a new LRH
    routed.virtual_lane = 2;
    routed.global->traffic_class = 1;
    routed.global->flow_label = 2;
    routed.global->hop_limit = 3;
    EXPECT_EQ(icrc(routed), icrc(global()));
    routed.global->source = gid{default_subnet_prefix, guid{9}};
    EXPECT_NE(icrc(routed), icrc(global()));
}

TEST(LinkPacketHeaders, ComeBackAsTheyWent)
{
    auto const packet = built(global(), short_mad());
    auto const bytes = std::span{packet};
    auto const lrh = decode<local_route_header>(bytes);
    ASSERT_TRUE(lrh);
    EXPECT_EQ(lrh->next, next_link_header::global);
    EXPECT_EQ(lrh->length, 82);
    auto const grh = decode<global_route_header>(bytes.subspan(8));
    ASSERT_TRUE(grh);
    EXPECT_EQ(grh->flow_label, 0xCDEF0u);
    EXPECT_EQ(grh->source, global().global->source);
    auto const bth = decode<base_transport_header>(bytes.subspan(48));
    ASSERT_TRUE(bth);
    EXPECT_EQ(bth->sequence_number, 0xAB'CDEFu);
    auto const deth = decode<datagram_transport_header>(bytes.subspan(60));
    ASSERT_TRUE(deth);
    EXPECT_EQ(deth->source_qp, 0x123u);
}

} // namespace
} // namespace madrigal
