#include <madrigal/wire/link_rate.hpp>

#include <gtest/gtest.h>

namespace madrigal {
namespace {

constexpr std::array all_speeds{link_speed::sdr, link_speed::ddr, link_speed::qdr, link_speed::fdr10, link_speed::fdr,
    link_speed::edr, link_speed::hdr, link_speed::ndr, link_speed::xdr};
constexpr std::array all_widths{link_width::x1, link_width::x2, link_width::x4, link_width::x8, link_width::x12};

port_info capable_of(port_capabilities mask, port_capabilities2 mask2 = {})
{
    port_info port;
    port.capability_mask = mask;
    port.capability_mask2 = mask2;
    return port;
}

TEST(LinkRate, ReadsTheOldFieldOfAPortWithoutExtendedSpeeds)
{
    port_info port;
    port.link_width_active = link_width::x4;
    port.link_width_supported = {link_width::x1, link_width::x4};
    port.link_speed_active = legacy_speed::ddr;
    port.link_speed_supported = {legacy_speed::sdr, legacy_speed::ddr, legacy_speed::qdr};
    // Reserved bits of an old port, not a speed: no capability bit vouches for them.
    port.link_speed_ext_active = extended_speed::edr;
    port.link_speed_ext2_active = extended_speed2::xdr;
    EXPECT_EQ(resolve_link(port), (link_rate{link_width::x4, link_speed::ddr, link_width::x4, link_speed::qdr}));
}

TEST(LinkRate, TakesTheExtendedFieldWhereThePortHasIt)
{
    auto port = capable_of(port_capability::extended_speeds);
    port.link_speed_active = legacy_speed::qdr;
    for (auto const& [field, speed] :
        {std::pair{extended_speed::fdr, link_speed::fdr}, {extended_speed::edr, link_speed::edr},
            {extended_speed::hdr, link_speed::hdr}, {extended_speed::ndr, link_speed::ndr}}) {
        port.link_speed_ext_active = field;
        EXPECT_EQ(resolve_link(port).active_speed, speed);
    }
}

TEST(LinkRate, FallsBackToTheOldFieldWhereTheExtendedOneIsZeroOrUnknown)
{
    auto port = capable_of(port_capability::extended_speeds);
    port.link_speed_active = legacy_speed::qdr;
    port.link_speed_ext_active = extended_speed{0};
    EXPECT_EQ(resolve_link(port).active_speed, link_speed::qdr);
    port.link_speed_ext_active = extended_speed{3};
    EXPECT_EQ(resolve_link(port).active_speed, link_speed::qdr);
}

TEST(LinkRate, UsesPort0sCapabilitiesForASwitchsExternalPort)
{
    auto const port0 = capable_of(port_capability::extended_speeds);
    port_info external; // its own masks are reserved, zero
    external.link_speed_active = legacy_speed::qdr;
    external.link_speed_ext_active = extended_speed::edr;
    EXPECT_EQ(resolve_link(external, &port0).active_speed, link_speed::edr);
    EXPECT_EQ(resolve_link(external).active_speed, link_speed::qdr);

    // and not its own, whatever stands in the reserved place
    external.capability_mask = port_capability::extended_speeds;
    port_info const old_port0;
    EXPECT_EQ(resolve_link(external, &old_port0).active_speed, link_speed::qdr);
}

TEST(LinkRate, ReadsXdrOnlyWhereBothMasksVouchForIt)
{
    auto port = capable_of({port_capability::extended_speeds, port_capability::capability_mask2},
        {port_capability2::extended_speeds2, port_capability2::link_speed_xdr});
    port.link_speed_ext_active = extended_speed::ndr;
    port.link_speed_ext2_active = extended_speed2::xdr;
    port.link_speed_ext2_supported = extended_speed2::xdr;
    EXPECT_EQ(resolve_link(port).active_speed, link_speed::xdr);
    EXPECT_EQ(resolve_link(port).fastest_supported, link_speed::xdr);

    port.capability_mask.set(port_capability::capability_mask2, false);
    EXPECT_EQ(resolve_link(port).active_speed, link_speed::ndr);
    port.capability_mask.set(port_capability::capability_mask2);
    port.capability_mask2.set(port_capability2::extended_speeds2, false);
    EXPECT_EQ(resolve_link(port).active_speed, link_speed::ndr);
}

TEST(LinkRate, FindsFdr10WhereTheVendorsAttributeTellsIt)
{
    port_info port;
    port.link_speed_active = legacy_speed::qdr;
    port.link_speed_supported = {legacy_speed::sdr, legacy_speed::ddr, legacy_speed::qdr};
    auto const vendor = vendor_link(link_speed::fdr10);
    EXPECT_EQ(resolve_link(port, nullptr, &vendor).active_speed, link_speed::fdr10);
    EXPECT_EQ(resolve_link(port, nullptr, &vendor).fastest_supported, link_speed::fdr10);
    EXPECT_EQ(resolve_link(port).active_speed, link_speed::qdr);

    // A link that came up slower than QDR is no FDR10 link.
    port.link_speed_active = legacy_speed::sdr;
    EXPECT_EQ(resolve_link(port, nullptr, &vendor).active_speed, link_speed::sdr);
}

TEST(LinkRate, SaysNoneForWidthsAndSpeedsThatDoNotExist)
{
    port_info port;
    port.link_width_active = link_width{3};
    port.link_speed_active = legacy_speed{7};
    EXPECT_EQ(resolve_link(port), link_rate{});
}

TEST(LinkRate, ComesBackForEveryWidthAndSpeedThatIsSet)
{
    for (auto const width : all_widths) {
        for (auto const speed : all_speeds) {
            port_info external;
            port_info port0;
            set_link(external, port0, width, speed);
            auto const vendor = vendor_link(speed);
            // over the wire and back
            auto const seen = decode<port_info>(encoded(external)).value();
            auto const seen0 = decode<port_info>(encoded(port0)).value();
            auto const seen_vendor = decode<mlnx_ext_port_info>(encoded(vendor)).value();
            EXPECT_EQ(resolve_link(seen, &seen0, &seen_vendor), (link_rate{width, speed, width, speed}))
                << to_string(width) << to_string(speed);

            port_info alone;
            set_link(alone, alone, width, speed);
            EXPECT_EQ(resolve_link(alone, nullptr, &vendor), (link_rate{width, speed, width, speed}))
                << to_string(width) << to_string(speed);
        }
    }
}

} // namespace
} // namespace madrigal
