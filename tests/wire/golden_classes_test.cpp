// Attributes that no other library on a common machine describes, against bytes laid out by hand from the IBA's tables.
#include "wire/bytes.hpp"

#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/class_header.hpp>

#include <gtest/gtest.h>

namespace madrigal {
namespace {

using test::hex;

/// The bytes as far as they are written here; the rest up to the attribute's size is zero.
template <class T>
void expect_golden(T const& value, std::vector<std::byte> bytes)
{
    bytes.resize(T::layout.size);
    auto const written = encoded(value);
    EXPECT_EQ(std::vector(written.begin(), written.end()), bytes);
    EXPECT_EQ(decode<T>(bytes), value);
}

gid const first_gid{0xfe80000000000000, guid{0x0102030405060708}};
gid const second_gid{0xfec0000000000001, guid{0x1112131415161718}};
constexpr std::string_view first_gid_bytes = "fe 80 00 00 00 00 00 00 01 02 03 04 05 06 07 08";
constexpr std::string_view second_gid_bytes = "fe c0 00 00 00 00 00 01 11 12 13 14 15 16 17 18";

std::vector<std::byte> joined(std::initializer_list<std::string_view> parts)
{
    std::string all;
    for (auto const part : parts)
        all += std::string{part} + ' ';
    return hex(all);
}

TEST(GoldenBytes, RandomForwardingTable)
{
    random_forwarding_table value;
    value.entries[0] = {.base_lid = lid{0x0102}, .valid = true, .lmc = 5, .port = 36};
    value.entries[1] = {.base_lid = lid{0xC001}, .valid = false, .lmc = 2, .port = 255};
    // 1 101 0000 = d0, 0 010 0000 = 20
    expect_golden(value, hex("01 02 d0 24  c0 01 20 ff"));
}

TEST(GoldenBytes, VlArbitrationTable)
{
    vl_arbitration_table value;
    value.entries[0] = {.vl = 14, .weight = 255};
    value.entries[1] = {.vl = 1, .weight = 64};
    expect_golden(value, hex("0e ff 01 40"));
}

TEST(GoldenBytes, VendorDiagAndLedInfo)
{
    vendor_diag value{.next_index = 0x0102};
    value.data.bytes[0] = std::byte{3};
    value.data.bytes[61] = std::byte{4};
    auto bytes = hex("01 02 03");
    bytes.resize(64);
    bytes[63] = std::byte{4};
    expect_golden(value, bytes);
    expect_golden(led_info{.lit = true}, hex("80 00 00 00"));
}

TEST(GoldenBytes, SwitchPortStateTable)
{
    switch_port_state_table value;
    value.states[0] = port_state::active;
    value.states[1] = port_state::init;
    value.states[2] = port_state::down;
    expect_golden(value, hex("42 10"));
}

TEST(GoldenBytes, LinkSpeedWidthPairsTable)
{
    link_speed_width_pairs_table value{.num_tables = 2,
        .widths_at_sdr = {link_width::x1, link_width::x4},
        .widths_at_ddr = link_width::x4,
        .widths_at_qdr = link_width::x12};
    value.port_mask.bytes[31] = std::byte{0x06};
    std::vector<std::byte> bytes(36);
    bytes[0] = std::byte{2};
    bytes[32] = std::byte{6};
    bytes[33] = std::byte{3};
    bytes[34] = std::byte{2};
    bytes[35] = std::byte{8};
    expect_golden(value, bytes);
}

TEST(GoldenBytes, TraceRecord)
{
    expect_golden(trace_record{.gid_prefix = 0xfe80000000000000,
                      .id_generation = 0x0102,
                      .type = node_type::switch_,
                      .node_id = 0x1122334455667788,
                      .chassis_id = 1,
                      .entry_port_id = 2,
                      .exit_port_id = 3,
                      .entry_port = 7,
                      .exit_port = 8},
        hex("fe 80 00 00 00 00 00 00  01 02 00 02  11 22 33 44 55 66 77 88  00 00 00 00 00 00 00 01"
            "00 00 00 00 00 00 00 02  00 00 00 00 00 00 00 03  07 08"));
}

TEST(GoldenBytes, ServiceAssociationRecord)
{
    service_association_record value{.service_name = fixed_text<64>{"DeviceManager.IBTA"}};
    value.service_key.bytes[0] = std::byte{0xAB};
    auto bytes = hex("ab 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
                     "44 65 76 69 63 65 4d 61 6e 61 67 65 72 2e 49 42 54 41");
    expect_golden(value, bytes);
}

TEST(GoldenBytes, MultiPathRecord)
{
    expect_golden(multi_path_record{.raw_traffic = true,
                      .flow_label = 0xABCDE,
                      .hop_limit = 64,
                      .traffic_class = 0x12,
                      .reversible = true,
                      .numb_path = 5,
                      .p_key = 0xFFFF,
                      .qos_class = 0x123,
                      .service_level = 4,
                      .mtu_selector = selector::exactly,
                      .path_mtu = mtu::bytes_2048,
                      .rate_selector = selector::best,
                      .rate = path_rate::gbps_100,
                      .packet_life_time_selector = selector::less,
                      .packet_life_time = 18,
                      .service_id_8msb = 0x10,
                      .independence_selector = independence::independent,
                      .sgid_count = 1,
                      .dgid_count = 2,
                      .service_id_56lsb = 0x20000000000304},
        hex("8a bc de 40  12 85 ff ff  12 34 84 d0  52 10 40 01  02 20 00 00 00 00 03 04"));
}

TEST(GoldenBytes, McMemberRecord)
{
    expect_golden(mc_member_record{.mgid = first_gid,
                      .port_gid = second_gid,
                      .q_key = 0x80010203,
                      .mlid = lid{0xC001},
                      .mtu_selector = selector::exactly,
                      .group_mtu = mtu::bytes_4096,
                      .traffic_class = 0x11,
                      .p_key = 0xFFFF,
                      .rate_selector = selector::exactly,
                      .rate = path_rate::gbps_40,
                      .packet_life_time_selector = selector::exactly,
                      .packet_life_time = 18,
                      .service_level = 3,
                      .flow_label = 0x45678,
                      .hop_limit = 9,
                      .scope = multicast_scope::link_local,
                      .join_states = {join_state::full_member, join_state::send_only_non_member},
                      .proxy_join = true},
        joined({first_gid_bytes, second_gid_bytes, "80 01 02 03  c0 01 85 11  ff ff 87 92  34 56 78 09  25 80 00 00"}));
}

TEST(GoldenBytes, BaseboardAndDeviceManagement)
{
    expect_golden(
        b_key_info{.b_key = 0x0102030405060708, .protect = true, .lease_period = 0x090A, .violations = 0x0B0C},
        hex("01 02 03 04 05 06 07 08  80 00 09 0a 0b 0c"));
    io_unit_info unit{.change_id = 0x0102, .max_controllers = 3, .diag_device_id = true, .option_rom = true};
    unit.controllers[0] = io_slot::installed;
    unit.controllers[1] = io_slot::no_slot;
    expect_golden(unit, hex("01 02 03 03  1f"));
    expect_golden(diagnostic_timeout{.max_diag_time = 0x01020304}, hex("01 02 03 04"));
    expect_golden(device_diag_code{.code = 0x0102}, hex("01 02"));
}

TEST(GoldenBytes, SnmpTunnelling)
{
    expect_golden(snmp_community_info{.name = fixed_text<64>{"public"}}, hex("70 75 62 6c 69 63"));
    std::vector<std::byte> bytes(64);
    bytes[1] = std::byte{8};
    auto const end = hex("01 02 03 04  05 06 07 08");
    std::copy(end.begin(), end.end(), bytes.begin() + 56);
    expect_golden(snmp_header{.mgmt_class = management_class::snmp,
                      .source_queue_pair = 0x01020304,
                      .payload_length = 5,
                      .segment_number = 6,
                      .source_lid = lid{0x0708}},
        bytes);
    EXPECT_EQ(class_data_offset(management_class::snmp), 64U);
}

TEST(GoldenBytes, CmReq)
{
    cm_req value{.local_communication_id = 0x01020304,
        .service_id = 0x1112131415161718,
        .local_ca_guid = guid{0x2122232425262728},
        .local_q_key = 0x31323334,
        .local_qpn = 0x414243,
        .responder_resources = 4,
        .local_eecn = 0x515253,
        .initiator_depth = 5,
        .remote_eecn = 0x616263,
        .remote_response_timeout = 20,
        .transport = transport_service::unreliable_connection,
        .end_to_end_flow_control = true,
        .starting_psn = 0x717273,
        .local_response_timeout = 21,
        .retry_count = 7,
        .p_key = 0xFFFE,
        .path_mtu = mtu::bytes_4096,
        .rdc_exists = true,
        .rnr_retry_count = 6,
        .max_cm_retries = 15,
        .shared_receive_queue = true,
        .extended_transport = 1,
        .primary_local_lid = lid{0x0001},
        .primary_remote_lid = lid{0x0002},
        .primary_local_gid = first_gid,
        .primary_remote_gid = second_gid,
        .primary_flow_label = 0x12345,
        .primary_packet_rate = 3,
        .primary_traffic_class = 0x66,
        .primary_hop_limit = 64,
        .primary_service_level = 5,
        .primary_subnet_local = true,
        .primary_ack_timeout = 18,
        .alternate_local_lid = lid{0x0003},
        .alternate_remote_lid = lid{0x0004}};
    value.private_data.bytes[0] = std::byte{0xAA};
    auto bytes = joined({"01 02 03 04  00 00 00 00  11 12 13 14 15 16 17 18  21 22 23 24 25 26 27 28",
        "00 00 00 00  31 32 33 34  41 42 43 04  51 52 53 05",
        "61 62 63 a3"                                                                 // 10100 01 1
        "71 72 73 af"                                                                 // 10101 111
        "ff fe 5e f9",                                                                // 0101 1 110, 1111 1 001
        "00 01 00 02", first_gid_bytes, second_gid_bytes, "12 34 50 03  66 40 58 90", // 0101 1 000, 10010 000
        "00 03 00 04"});
    EXPECT_EQ(bytes.size(), 100U);
    bytes.resize(141);
    bytes[140] = std::byte{0xAA};
    expect_golden(value, bytes);
}

TEST(GoldenBytes, CmRepRejMra)
{
    auto const ids = "01 02 03 04  05 06 07 08";
    expect_golden(cm_rep{.local_communication_id = 0x01020304,
                      .remote_communication_id = 0x05060708,
                      .local_q_key = 0x11121314,
                      .local_qpn = 0x212223,
                      .local_eecn = 0x313233,
                      .starting_psn = 0x414243,
                      .responder_resources = 6,
                      .initiator_depth = 7,
                      .target_ack_delay = 16,
                      .failover_accepted = 1,
                      .end_to_end_flow_control = true,
                      .rnr_retry_count = 7,
                      .shared_receive_queue = true,
                      .local_ca_guid = guid{0x5152535455565758}},
        joined({ids, "11 12 13 14  21 22 23 00  31 32 33 00  41 42 43 00  06 07 83 f0  51 52 53 54 55 56 57 58"}));
    cm_rej rejection{.local_communication_id = 0x01020304,
        .remote_communication_id = 0x05060708,
        .message = cm_message::rep,
        .reject_info_length = 72,
        .reason = cm_reject_reason::consumer};
    rejection.reject_info.bytes[0] = std::byte{0xBB};
    rejection.private_data.bytes[0] = std::byte{0xCC};
    auto bytes = joined({ids, "40 90 00 1c  bb"});
    bytes.resize(85);
    bytes[84] = std::byte{0xCC};
    expect_golden(rejection, bytes);
    expect_golden(cm_mra{.local_communication_id = 0x01020304,
                      .remote_communication_id = 0x05060708,
                      .message = cm_message::other,
                      .service_timeout = 19},
        joined({ids, "80 98"}));
}

TEST(GoldenBytes, CmReleaseAndReadiness)
{
    cm_rtu ready{.local_communication_id = 1, .remote_communication_id = 2};
    ready.private_data.bytes[223] = std::byte{9};
    auto bytes = hex("00 00 00 01 00 00 00 02");
    bytes.resize(232);
    bytes[231] = std::byte{9};
    expect_golden(ready, bytes);
    expect_golden(cm_dreq{.local_communication_id = 1, .remote_communication_id = 2, .remote_qpn = 0x010203},
        hex("00 00 00 01 00 00 00 02  01 02 03 00"));
    expect_golden(cm_drep{.local_communication_id = 3, .remote_communication_id = 4}, hex("00 00 00 03 00 00 00 04"));
}

TEST(GoldenBytes, CmAlternatePath)
{
    expect_golden(cm_lap{.local_communication_id = 1,
                      .remote_communication_id = 2,
                      .remote_qpn = 0x010203,
                      .remote_response_timeout = 20,
                      .alternate_local_lid = lid{5},
                      .alternate_remote_lid = lid{6},
                      .alternate_local_gid = first_gid,
                      .alternate_remote_gid = second_gid,
                      .alternate_flow_label = 0x12345,
                      .alternate_traffic_class = 0x66,
                      .alternate_hop_limit = 64,
                      .alternate_packet_rate = 3,
                      .alternate_service_level = 5,
                      .alternate_subnet_local = true,
                      .alternate_ack_timeout = 18},
        joined({"00 00 00 01 00 00 00 02  00 00 00 00  01 02 03 a0  00 00 00 00  00 05 00 06", first_gid_bytes,
            second_gid_bytes, "12 34 50 66  40 03 58 90"}));
    cm_apr answer{.local_communication_id = 1, .remote_communication_id = 2, .info_length = 3};
    answer.status = cm_path_status::redirect;
    answer.info.bytes[0] = std::byte{7};
    expect_golden(answer, hex("00 00 00 01 00 00 00 02  03 04 00 00  07"));
}

TEST(GoldenBytes, CmServiceIdResolution)
{
    expect_golden(cm_sidr_req{.request_id = 0x01020304, .p_key = 0xFFFF, .service_id = 0x1112131415161718},
        hex("01 02 03 04  ff ff 00 00  11 12 13 14 15 16 17 18"));
    cm_sidr_rep answer{.request_id = 0x01020304,
        .status = cm_sidr_status::redirect,
        .info_length = 72,
        .qpn = 0x212223,
        .service_id = 0x1112131415161718,
        .q_key = 0x31323334};
    answer.info.bytes[71] = std::byte{8};
    auto bytes = hex("01 02 03 04  04 48 00 00  21 22 23 00  11 12 13 14 15 16 17 18  31 32 33 34");
    bytes.resize(96);
    bytes[95] = std::byte{8};
    expect_golden(answer, bytes);
}

} // namespace
} // namespace madrigal
