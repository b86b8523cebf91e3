#include <madrigal/wire/link.hpp>
#include <madrigal/wire/port_fields.hpp>
#include <madrigal/wire/port_state.hpp>
#include <madrigal/wire/sm_state.hpp>
#include <madrigal/wire/types.hpp>

#include <gtest/gtest.h>

namespace madrigal {
namespace {

static_assert(!std::is_convertible_v<std::uint64_t, guid>);
static_assert(!std::is_convertible_v<guid, std::uint64_t>);
static_assert(!std::is_convertible_v<std::uint16_t, lid>);
static_assert(!std::is_convertible_v<lid, std::uint16_t>);
static_assert(!std::is_convertible_v<guid, lid> && !std::is_convertible_v<lid, guid>);
static_assert(!std::is_convertible_v<guid, bool>);

TEST(Guid, PrintsSixteenDigits)
{
    EXPECT_EQ(to_string(guid{0x0002c9030005f34a}), "0x0002c9030005f34a");
    EXPECT_EQ(to_string(guid{}), "0x0000000000000000");
}

TEST(Lid, PrintsAsADecimalNumber)
{
    EXPECT_EQ(to_string(lid{12}), "12");
    EXPECT_EQ(to_string(permissive_lid), "65535");
}

TEST(Lid, IsUnicastFrom1To0xBFFFOnly)
{
    EXPECT_FALSE(lid{0}.is_unicast());
    EXPECT_TRUE(lid{1}.is_unicast());
    EXPECT_TRUE(lid{0xBFFF}.is_unicast());
    EXPECT_FALSE(lid{0xC000}.is_unicast());
    EXPECT_TRUE(lid{0xC000}.is_multicast());
    EXPECT_TRUE(lid{0xFFFE}.is_multicast());
    EXPECT_FALSE(lid{0xFFFF}.is_multicast());
    EXPECT_TRUE(lid{0xFFFF}.is_permissive());
}

TEST(Gid, PrintsAsSysfsDoes)
{
    gid const address{default_subnet_prefix, guid{0x0002c9030005f34b}};
    EXPECT_EQ(to_string(address), "fe80:0000:0000:0000:0002:c903:0005:f34b");
    EXPECT_EQ(address.subnet_prefix(), default_subnet_prefix);
    EXPECT_EQ(address.interface_id(), guid{0x0002c9030005f34b});
}

TEST(NodeType, PrintsItsNameOrItsNumber)
{
    EXPECT_EQ(to_string(node_type::ca), "CA");
    EXPECT_EQ(to_string(node_type::switch_), "Switch");
    EXPECT_EQ(to_string(node_type::router), "Router");
    EXPECT_EQ(to_string(node_type{77}), "77");
}

TEST(PortState, PrintsItsNameOrItsNumber)
{
    EXPECT_EQ(to_string(port_state::down), "Down");
    EXPECT_EQ(to_string(port_state::init), "Init");
    EXPECT_EQ(to_string(port_state::armed), "Armed");
    EXPECT_EQ(to_string(port_state::active), "Active");
    EXPECT_EQ(to_string(port_state{9}), "9");
    EXPECT_EQ(to_string(physical_state::link_up), "LinkUp");
    EXPECT_EQ(to_string(physical_state::training), "PortConfigurationTraining");
    EXPECT_EQ(to_string(physical_state{15}), "15");
}

TEST(LinkWidth, ComesBackFromItsNameInAnyCase)
{
    for (auto const width : {link_width::x1, link_width::x2, link_width::x4, link_width::x8, link_width::x12})
        EXPECT_EQ(parse_link_width(to_string(width)), width);
    EXPECT_EQ(parse_link_width("4X"), link_width::x4);
    EXPECT_FALSE(parse_link_width("3x"));
    EXPECT_FALSE(parse_link_width("?"));
    EXPECT_FALSE(parse_link_width(""));
    EXPECT_EQ(to_string(link_width{64}), "?");
    EXPECT_EQ(lanes(link_width::x12), 12U);
    EXPECT_EQ(lanes(link_width{64}), 0U);
}

TEST(LinkSpeed, ComesBackFromItsNameInAnyCase)
{
    for (auto const speed : {link_speed::sdr, link_speed::ddr, link_speed::qdr, link_speed::fdr10, link_speed::fdr,
             link_speed::edr, link_speed::hdr, link_speed::ndr, link_speed::xdr})
        EXPECT_EQ(parse_link_speed(to_string(speed)), speed);
    EXPECT_EQ(parse_link_speed("fdr10"), link_speed::fdr10);
    EXPECT_FALSE(parse_link_speed("FDR1"));
    EXPECT_FALSE(parse_link_speed("?"));
    EXPECT_EQ(to_string(link_speed::none), "?");
}

TEST(Mtu, CountsBytes)
{
    EXPECT_EQ(mtu_bytes(mtu::bytes_256), 256U);
    EXPECT_EQ(mtu_bytes(mtu::bytes_4096), 4096U);
    EXPECT_EQ(mtu_bytes(mtu{0}), 0U);
    EXPECT_EQ(mtu_bytes(mtu{6}), 0U);
    EXPECT_EQ(to_string(mtu::bytes_2048), "2048");
    EXPECT_EQ(to_string(mtu{9}), "?(9)");
}

TEST(SmallEnumerations, PrintTheirNamesOrNumbers)
{
    EXPECT_EQ(to_string(virtual_lanes::vl0_14), "VL0-14");
    EXPECT_EQ(to_string(virtual_lanes{7}), "?(7)");
    EXPECT_EQ(to_string(link_down_default_state::polling), "Polling");
    EXPECT_EQ(to_string(link_down_default_state{5}), "5");
    EXPECT_EQ(to_string(legacy_speed::ddr), "DDR");
    EXPECT_EQ(to_string(legacy_speed{8}), "8");
    EXPECT_EQ(to_string(extended_speed::ndr), "NDR");
    EXPECT_EQ(to_string(extended_speed2::xdr), "XDR");
    EXPECT_EQ(to_string(vendor_speed::fdr10), "FDR10");
    EXPECT_EQ(to_string(sm_state::master), "Master");
    EXPECT_EQ(to_string(sm_state{12}), "12");
    EXPECT_EQ(to_string(sm_control::handover), "HANDOVER");
    EXPECT_EQ(to_string(sm_control{6}), "6");
}

} // namespace
} // namespace madrigal
