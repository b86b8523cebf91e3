// Each attribute against bytes laid out by hand from the IBA's tables.
#include "wire/bytes.hpp"

#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/mad.hpp>

#include <gtest/gtest.h>

namespace madrigal {
namespace {

using test::hex;

template <class T>
void expect_golden(T const& value, std::vector<std::byte> const& bytes)
{
    auto const written = encoded(value);
    EXPECT_EQ(std::vector(written.begin(), written.end()), bytes);
    EXPECT_EQ(decode<T>(bytes), value);
}

TEST(GoldenBytes, NodeInfo)
{
    expect_golden(node_info{.base_version = 1,
                      .class_version = 1,
                      .type = node_type::switch_,
                      .num_ports = 36,
                      .system_image_guid = guid{0x0002c9030005f34b},
                      .node_guid = guid{0x0002c9030005f348},
                      .port_guid = guid{0x0002c9030005f349},
                      .partition_cap = 8,
                      .device_id = 0xbd36,
                      .revision = 0xa0,
                      .local_port_num = 13,
                      .vendor_id = 0x0002c9},
        hex("01 01 02 24  00 02 c9 03 00 05 f3 4b  00 02 c9 03 00 05 f3 48  00 02 c9 03 00 05 f3 49"
            "00 08 bd 36  00 00 00 a0  0d 00 02 c9"));
}

TEST(GoldenBytes, NodeDescription)
{
    auto bytes = hex("6d 61 64 20 73 77 31");
    bytes.resize(64);
    expect_golden(node_description{.description = fixed_text<64>{"mad sw1"}}, bytes);
}

TEST(GoldenBytes, NodeDescriptionThatFillsItsField)
{
    std::vector<std::byte> const bytes(64, std::byte{'x'});
    expect_golden(node_description{.description = fixed_text<64>{std::string(64, 'x')}}, bytes);
}

TEST(GoldenBytes, SwitchInfo)
{
    expect_golden(switch_info{.linear_fdb_cap = 0xC000,
                      .random_fdb_cap = 0x0102,
                      .multicast_fdb_cap = 0x1000,
                      .linear_fdb_top = 0x0029,
                      .default_port = 1,
                      .default_multicast_primary_port = 2,
                      .default_multicast_not_primary_port = 3,
                      .life_time_value = 18,
                      .port_state_change = true,
                      .optimized_sl_to_vl_mapping = 1,
                      .lids_per_port = 0x0405,
                      .partition_enforcement_cap = 0x0020,
                      .inbound_enforcement_cap = true,
                      .outbound_enforcement_cap = false,
                      .filter_raw_inbound_cap = true,
                      .filter_raw_outbound_cap = false,
                      .enhanced_port0 = true,
                      .multicast_fdb_top = 0xC011},
        // life time 10010, change 1, optimized 01 = 0x95; 1 0 1 0 1 000 = 0xA8
        hex("c0 00 01 02 10 00 00 29  01 02 03 95  04 05 00 20  a8 00 c0 11"));
}

TEST(GoldenBytes, PortInfo)
{
    expect_golden(port_info{.m_key = 0x1122334455667788,
                      .gid_prefix = 0xfe80000000000000,
                      .base_lid = lid{0x0102},
                      .master_sm_lid = lid{0x0304},
                      .capability_mask = port_capabilities::from_value(0x0251486a),
                      .diag_code = 0x0506,
                      .m_key_lease_period = 0x0708,
                      .local_port_num = 9,
                      .link_width_enabled = {link_width::x1, link_width::x4},
                      .link_width_supported = {link_width::x1, link_width::x4, link_width::x2},
                      .link_width_active = link_width::x4,
                      .link_speed_supported = {legacy_speed::sdr, legacy_speed::ddr, legacy_speed::qdr},
                      .state = port_state::active,
                      .phys_state = physical_state::link_up,
                      .link_down_default = link_down_default_state::polling,
                      .m_key_protect_bits = 2,
                      .lmc = 5,
                      .link_speed_active = legacy_speed::qdr,
                      .link_speed_enabled = flags<legacy_speed>::from_value(0xF),
                      .neighbor_mtu = mtu::bytes_4096,
                      .master_sm_sl = 6,
                      .vl_cap = virtual_lanes::vl0_7,
                      .init_type = 3,
                      .vl_high_limit = 0x0a,
                      .vl_arbitration_high_cap = 0x0b,
                      .vl_arbitration_low_cap = 0x0c,
                      .init_type_reply = 0xd,
                      .mtu_cap = mtu::bytes_2048,
                      .vl_stall_count = 7,
                      .hoq_life = 16,
                      .operational_vls = virtual_lanes::vl0_3,
                      .partition_enforcement_inbound = true,
                      .partition_enforcement_outbound = false,
                      .filter_raw_inbound = false,
                      .filter_raw_outbound = true,
                      .m_key_violations = 0x1011,
                      .p_key_violations = 0x1213,
                      .q_key_violations = 0x1415,
                      .guid_cap = 32,
                      .client_reregister = true,
                      .multicast_p_key_trap_suppression_enabled = 1,
                      .subnet_timeout = 18,
                      .resp_time_value = 17,
                      .local_phy_errors = 8,
                      .overrun_errors = 9,
                      .max_credit_hint = 0x1617,
                      .link_speed_ext2_active = extended_speed2::xdr,
                      .link_speed_ext2_supported = extended_speed2::xdr,
                      .link_speed_ext2_enabled = extended_speed2::xdr,
                      .link_round_trip_latency = 0x18191a,
                      .capability_mask2 = port_capabilities2::from_value(0x1c32),
                      .link_speed_ext_active = extended_speed::ndr,
                      .link_speed_ext_supported = flags<extended_speed>::from_value(0xF),
                      .link_speed_ext_enabled = flags<extended_speed>::from_value(0x1F)},
        hex("11 22 33 44 55 66 77 88  fe 80 00 00 00 00 00 00"
            "01 02 03 04  02 51 48 6a  05 06 07 08  09 03 13 02"
            "74 52 85 4f"    // supported+state, phys+default, protect 10 000 lmc 101, active+enabled
            "56 43 0a 0b"    // mtu+sl, vlcap+inittype, high limit, high cap
            "0c d4 f0 39"    // low cap, reply+mtucap, stall 111 hoq 10000, vls 0011 1 0 0 1
            "10 11 12 13"    // violations
            "14 15 20 b2"    // q_key, guid cap, 1 01 10010
            "11 89 16 17"    // 000 10001, errors, credit
            "29 18 19 1a"    // 0 01 01 001, latency
            "1c 32 8f 1f")); // mask2, active+supported, 000 11111
}

TEST(GoldenBytes, GuidInfo)
{
    std::vector<std::byte> bytes(64);
    guid_info value;
    for (std::size_t i = 0; i != 8; ++i) {
        value.guids[i] = guid{0x0002c90300000000 + i};
        auto const entry = hex("00 02 c9 03 00 00 00");
        std::copy(entry.begin(), entry.end(), bytes.begin() + std::ptrdiff_t(8 * i));
        bytes[8 * i + 7] = static_cast<std::byte>(i);
    }
    expect_golden(value, bytes);
}

TEST(GoldenBytes, PKeyTable)
{
    p_key_table value;
    value.p_keys[0] = 0xFFFF;
    value.p_keys[1] = 0x7FFF;
    value.p_keys[31] = 0x8001;
    auto bytes = hex("ff ff 7f ff");
    bytes.resize(64);
    bytes[62] = std::byte{0x80};
    bytes[63] = std::byte{0x01};
    expect_golden(value, bytes);
}

TEST(GoldenBytes, LinearForwardingTableWithPortsAbove127)
{
    linear_forwarding_table value;
    std::vector<std::byte> bytes(64);
    for (unsigned i = 0; i != 64; ++i) {
        value.ports[i] = static_cast<std::uint8_t>(192 + i);
        bytes[i] = static_cast<std::byte>(192 + i);
    }
    expect_golden(value, bytes);
    EXPECT_GT(value.ports[0], 127);
    EXPECT_EQ(value.ports[63], no_route);
}

TEST(GoldenBytes, SmInfo)
{
    expect_golden(sm_info{.port_guid = guid{0x0002c9030005f349},
                      .sm_key = 0x0102030405060708,
                      .activity_count = 0x0a0b0c0d,
                      .priority = 14,
                      .state = sm_state::master},
        hex("00 02 c9 03 00 05 f3 49  01 02 03 04 05 06 07 08  0a 0b 0c 0d  e3"));
}

TEST(GoldenBytes, Notice)
{
    notice value{.is_generic = true,
        .type = notice_type::urgent,
        .producer_type = notice_producer::switch_,
        .trap_number = 128,
        .issuer_lid = lid{7},
        .notice_toggle = true,
        .notice_count = 0x0102};
    auto bytes = hex("81 00 00 02  00 80 00 07  81 02");
    for (unsigned i = 0; i != 54; ++i) {
        value.data_details.bytes[i] = static_cast<std::byte>(i + 1);
        bytes.push_back(static_cast<std::byte>(i + 1));
    }
    expect_golden(value, bytes);
}

TEST(GoldenBytes, NoticeReport)
{
    auto bytes = hex("04 00 00 02  00 40 00 07  00 00");
    bytes.resize(64);
    auto const issuer = hex("fe 80 00 00 00 00 00 00  00 02 c9 03 00 05 f3 49");
    bytes.insert(bytes.end(), issuer.begin(), issuer.end());
    expect_golden(notice_report{.is_generic = false,
                      .type = notice_type::informational,
                      .producer_type = notice_producer{2},
                      .trap_number = 64,
                      .issuer_lid = lid{7},
                      .issuer_gid = gid{default_subnet_prefix, guid{0x0002c9030005f349}}},
        bytes);
}

TEST(GoldenBytes, ClassPortInfo)
{
    expect_golden(class_port_info{.base_version = 1,
                      .class_version = 2,
                      .capability_mask = 0x0304,
                      .capability_mask2 = 0x0123456,
                      .resp_time_value = 18,
                      .redirect_gid = gid{default_subnet_prefix, guid{0x0102030405060708}},
                      .redirect_tc = 0x11,
                      .redirect_sl = 0x2,
                      .redirect_fl = 0x34567,
                      .redirect_lid = lid{0x0809},
                      .redirect_p_key = 0xFFFF,
                      .redirect_qp = 0x0a0b0c,
                      .redirect_q_key = 0x80010000,
                      .trap_gid = gid{0xfec0000000000000, guid{0x1112131415161718}},
                      .trap_tc = 0x21,
                      .trap_sl = 0x3,
                      .trap_fl = 0x45678,
                      .trap_lid = lid{0x1819},
                      .trap_p_key = 0x7FFF,
                      .trap_hl = 0x40,
                      .trap_qp = 0x000001,
                      .trap_q_key = 0x80020000},
        // 0x123456 << 5 | 18 = 0x02468AD2
        hex("01 02 03 04  02 46 8a d2"
            "fe 80 00 00 00 00 00 00 01 02 03 04 05 06 07 08"
            "11 23 45 67  08 09 ff ff  00 0a 0b 0c  80 01 00 00"
            "fe c0 00 00 00 00 00 00 11 12 13 14 15 16 17 18"
            "21 34 56 78  18 19 7f ff  40 00 00 01  80 02 00 00"));
}

TEST(GoldenBytes, MlnxExtPortInfo)
{
    expect_golden(mlnx_ext_port_info{.state_change_enable = 0x0f,
                      .link_speed_supported = vendor_speed::fdr10,
                      .link_speed_enabled = {},
                      .link_speed_active = vendor_speed::fdr10},
        hex("00 00 00 0f  00 00 00 01  00 00 00 00  00 00 00 01"));
}

TEST(GoldenBytes, MadHeader)
{
    expect_golden(mad_header{.base_version = 1,
                      .mgmt_class = management_class::performance,
                      .class_version = 1,
                      .method_of_mad = method::get_response,
                      .status = 0x001c,
                      .class_specific = 0x0203,
                      .transaction_id = 0x0102030405060708,
                      .attribute_id = 0x0012,
                      .attribute_modifier = 0x11121314},
        hex("01 04 01 81  00 1c 02 03  01 02 03 04 05 06 07 08  00 12 00 00  11 12 13 14"));
}

TEST(LinearForwardingTable, PutsTheLastBlockAtTheTopLidDividedBy64)
{
    EXPECT_EQ(forwarding_block_of(lid{63}), 0U);
    EXPECT_EQ(forwarding_block_of(lid{64}), 1U);
    EXPECT_EQ(forwarding_block_of(max_unicast_lid), 767U);
    EXPECT_EQ(forwarding_entry_of(lid{64}), 0U);
    EXPECT_EQ(forwarding_entry_of(max_unicast_lid), 63U);
}

} // namespace
} // namespace madrigal
