// Each trap's details against bytes laid out by hand from the IBA's tables.
#include "wire/bytes.hpp"

#include <madrigal/wire/trap.hpp>

#include <gtest/gtest.h>

namespace madrigal {
namespace {

// A generic notice of a trap with these details, as it comes from the wire.
notice generic(std::uint16_t number, std::string_view details)
{
    auto bytes = test::hex("84 00 00 02  00 00 00 07  00 00");
    store_bits<32, 16>(bytes.data(), number);
    auto const rest = test::hex(details);
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    bytes.resize(64);
    return decode<notice>(bytes).value();
}

template <class Details>
void expect_golden(std::uint16_t number, Details const& details, std::string_view bytes)
{
    auto const from_wire = generic(number, bytes);
    auto const trap = decode_trap(from_wire);
    ASSERT_TRUE(trap) << number;
    ASSERT_TRUE(std::holds_alternative<Details>(*trap)) << number;
    EXPECT_EQ(std::get<Details>(*trap), details) << to_text(*trap);
    EXPECT_EQ(encode_trap(details), from_wire.data_details) << number;
}

TEST(Trap, 64To67HaveTheirGidBehindSixReservedBytes)
{
    for (std::uint16_t const number : {64, 65, 66, 67})
        expect_golden(number, gid_trap{.address = gid{default_subnet_prefix, guid{0x0002c9030005f34b}}},
            "00 00 00 00 00 00  fe 80 00 00 00 00 00 00 00 02 c9 03 00 05 f3 4b");
}

TEST(Trap, 128HasTheSwitchsLidAtTheFront)
{
    expect_golden(128, link_state_trap{.switch_lid = lid{0x0102}}, "01 02");
}

TEST(Trap, 129To131HaveLidAndPortBehindTwoReservedBytes)
{
    for (std::uint16_t const number : {129, 130, 131})
        expect_golden(number, threshold_trap{.port_lid = lid{0x0102}, .port_number = 200}, "00 00 01 02 c8");
}

TEST(Trap, 144HasMasksAndChangeFlags)
{
    expect_golden(144,
        local_changes_trap{.port_lid = lid{0x0102},
            .other_local_changes = true,
            .capability_mask = port_capabilities::from_value(0x02514868),
            .changes = {local_change::node_description, local_change::link_speed_enabled,
                local_change::capability_mask2},
            .capability_mask2 = port_capabilities2::from_value(0x0032)},
        "00 00 01 02 00 01  02 51 48 68  00 25  00 32");
}

TEST(Trap, 145HasTheNewGuidBehindTheLid)
{
    expect_golden(145, system_image_trap{.port_lid = lid{0x0102}, .system_image_guid = guid{0x1112131415161718}},
        "00 00 01 02 00 00  11 12 13 14 15 16 17 18");
}

TEST(Trap, 256HasTheOffendingSmp)
{
    bad_m_key_trap details{.port_lid = lid{0x0102},
        .dr_slid = lid{0xFFFF},
        .method_of_mad = method::set,
        .attribute_id = 0x0015,
        .attribute_modifier = 0x01020304,
        .m_key = 0x1112131415161718,
        .dr_notice = true,
        .dr_path_truncated = true,
        .dr_hop_count = 30};
    details.dr_return_path[0] = 5;
    details.dr_return_path[29] = 6;
    expect_golden(256, details,
        "00 00 01 02 ff ff 02 00  00 15  01 02 03 04  11 12 13 14 15 16 17 18  00 de"
        "05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 06");
}

TEST(Trap, 257And258HaveTheOffendingPacket)
{
    for (std::uint16_t const number : {257, 258})
        expect_golden(number,
            bad_key_trap{.source_lid = lid{0x0102},
                .destination_lid = lid{0x0304},
                .key = 0x0000FFFE,
                .service_level = 0xA,
                .source_qp = 0x010203,
                .destination_qp = 0x040506,
                .source_gid = gid{default_subnet_prefix, guid{1}},
                .destination_gid = gid{default_subnet_prefix, guid{2}}},
            "00 00 01 02 03 04  00 00 ff fe  a0 01 02 03  00 04 05 06"
            "fe 80 00 00 00 00 00 00 00 00 00 00 00 00 00 01  fe 80 00 00 00 00 00 00 00 00 00 00 00 00 00 02");
}

TEST(Trap, 259HasTheOffendingPacketAndTheSwitchsPort)
{
    expect_golden(259,
        switch_bad_p_key_trap{.data_valid = 0x000F,
            .source_lid = lid{0x0102},
            .destination_lid = lid{0x0304},
            .p_key = 0xFFFE,
            .service_level = 0xA,
            .source_qp = 0x010203,
            .destination_qp = 0x040506,
            .source_gid = gid{default_subnet_prefix, guid{1}},
            .destination_gid = gid{default_subnet_prefix, guid{2}},
            .switch_lid = lid{0x0708},
            .port_number = 255},
        "00 0f 01 02 03 04 ff fe  a0 01 02 03  00 04 05 06"
        "fe 80 00 00 00 00 00 00 00 00 00 00 00 00 00 01  fe 80 00 00 00 00 00 00 00 00 00 00 00 00 00 02"
        "07 08 ff");
}

TEST(Trap, OfAVendorOrWithoutATableHasNoDetails)
{
    auto value = generic(128, "01 02");
    value.is_generic = false;
    EXPECT_FALSE(decode_trap(value));
    EXPECT_FALSE(decode_trap(generic(1234, "")));
}

TEST(Trap, HasAName)
{
    EXPECT_EQ(trap_name(trap_number::link_state_changed), "link state changed");
    EXPECT_EQ(trap_name(1234), "trap 1234");
}

TEST(Trap, PrintsItsDetails)
{
    EXPECT_EQ(to_text(trap_details{threshold_trap{.port_lid = lid{5}, .port_number = 200}}),
        "LIDADDR:.........................5\n"
        "PORTNO:..........................200\n");
}

TEST(NoticeType, PrintsItsNameOrItsNumber)
{
    EXPECT_EQ(to_string(notice_type::urgent), "Urgent");
    EXPECT_EQ(to_string(notice_type{9}), "9");
    EXPECT_EQ(to_string(notice_producer::switch_), "Switch");
    EXPECT_EQ(to_string(notice_producer{0x0002c9}), "0x0002c9");
    EXPECT_EQ(to_string(local_change{0x80}), "0x80");
}

} // namespace
} // namespace madrigal
