#include "wire/bytes.hpp"

#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/attribute_id.hpp>
#include <madrigal/wire/registry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace madrigal {
namespace {

TEST(Registry, HoldsTheAttributesThatTheLibraryPromises)
{
    std::vector<std::string> names;
    for (auto const& attribute : attributes())
        names.emplace_back(attribute.layout.name);
    EXPECT_THAT(names, testing::IsSupersetOf({"ClassPortInfo", "GUIDInfo", "LinearForwardingTable", "MlnxExtPortInfo",
                           "NodeDescription", "NodeInfo", "Notice", "NoticeReport", "P_KeyTable", "PortInfo", "SMInfo",
                           "SwitchInfo", "PortCounters", "PathRecord", "IOUnitInfo", "CongestionInfo", "REQ"}));
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST(Registry, FindsByNameInAnyCase)
{
    ASSERT_NE(find_attribute("nodeinfo"), nullptr);
    EXPECT_EQ(find_attribute("nodeinfo"), find_attribute("NodeInfo"));
    EXPECT_EQ(find_attribute("NodeInf"), nullptr);
    EXPECT_EQ(find_attribute(""), nullptr);
}

TEST(Registry, FindsByClassAndNumber)
{
    for (auto const smp : {management_class::subnet_lid_routed, management_class::subnet_directed_route}) {
        EXPECT_EQ(find_attribute(smp, attribute_id::node_info), find_attribute("NodeInfo"));
        EXPECT_EQ(find_attribute(smp, attribute_id::notice), find_attribute("Notice"));
        EXPECT_EQ(find_attribute(smp, attribute_id::class_port_info), nullptr) << "SMPs have none";
        EXPECT_EQ(find_attribute(smp, attribute_id::mlnx_ext_port_info), find_attribute("MlnxExtPortInfo"));
    }
    EXPECT_EQ(
        find_attribute(management_class::performance, attribute_id::class_port_info), find_attribute("ClassPortInfo"));
    EXPECT_EQ(
        find_attribute(management_class::subnet_administration, attribute_id::notice), find_attribute("NoticeReport"));
    EXPECT_NE(find_attribute(management_class::performance, attribute_id::node_info), find_attribute("NodeInfo"))
        << "0x0011 means another thing there";
    EXPECT_EQ(attribute_name(management_class::subnet_lid_routed, 0x0015), "PortInfo");
    EXPECT_EQ(attribute_name(management_class::subnet_lid_routed, 0x0fff), "0x0fff");
}

TEST(Registry, GivesEachClassAndNumberOneMeaning)
{
    for (unsigned number = 0; number != 256; ++number)
        for (auto const& a : attributes())
            for (auto const& b : attributes())
                EXPECT_FALSE(&a != &b && a.layout.id == b.layout.id &&
                             a.layout.scope.contains(management_class(number)) &&
                             b.layout.scope.contains(management_class(number)))
                    << a.layout.name << " and " << b.layout.name << " in class " << number;
}

TEST(Registry, FitsEveryAttributeIntoItsClasssData)
{
    for (auto const& attribute : attributes())
        for (unsigned number = 0; number != 256; ++number) {
            auto const one = management_class(number);
            if (!attribute.layout.scope.contains(one))
                continue;
            auto const room = is_smp(one) ? 64 : mad_size - attribute_data_offset(one, attribute.layout.id);
            EXPECT_LE(attribute.layout.size, room) << attribute.layout.name << " in class " << number;
        }
}

TEST(Registry, GivesTablesTheNumbersOfTheHeader)
{
    EXPECT_EQ(attribute_id::class_port_info, class_port_info::layout.id);
    EXPECT_EQ(attribute_id::notice, notice::layout.id);
    EXPECT_EQ(attribute_id::inform_info, inform_info::layout.id);
    EXPECT_EQ(attribute_id::node_description, node_description::layout.id);
    EXPECT_EQ(attribute_id::node_info, node_info::layout.id);
    EXPECT_EQ(attribute_id::switch_info, switch_info::layout.id);
    EXPECT_EQ(attribute_id::guid_info, guid_info::layout.id);
    EXPECT_EQ(attribute_id::port_info, port_info::layout.id);
    EXPECT_EQ(attribute_id::p_key_table, p_key_table::layout.id);
    EXPECT_EQ(attribute_id::sl_to_vl_mapping_table, sl_to_vl_mapping_table::layout.id);
    EXPECT_EQ(attribute_id::vl_arbitration_table, vl_arbitration_table::layout.id);
    EXPECT_EQ(attribute_id::linear_forwarding_table, linear_forwarding_table::layout.id);
    EXPECT_EQ(attribute_id::random_forwarding_table, random_forwarding_table::layout.id);
    EXPECT_EQ(attribute_id::multicast_forwarding_table, multicast_forwarding_table::layout.id);
    EXPECT_EQ(attribute_id::link_speed_width_pairs_table, link_speed_width_pairs_table::layout.id);
    EXPECT_EQ(attribute_id::sm_info, sm_info::layout.id);
    EXPECT_EQ(attribute_id::vendor_diag, vendor_diag::layout.id);
    EXPECT_EQ(attribute_id::led_info, led_info::layout.id);
    EXPECT_EQ(attribute_id::port_info_extended, port_info_extended::layout.id);
    EXPECT_EQ(attribute_id::switch_port_state_table, switch_port_state_table::layout.id);
    EXPECT_EQ(attribute_id::mlnx_ext_port_info, mlnx_ext_port_info::layout.id);
    EXPECT_EQ(attribute_id::port_samples_control, port_samples_control::layout.id);
    EXPECT_EQ(attribute_id::port_samples_result, port_samples_result::layout.id);
    EXPECT_EQ(attribute_id::port_counters, port_counters::layout.id);
    EXPECT_EQ(attribute_id::port_rcv_error_details, port_rcv_error_details::layout.id);
    EXPECT_EQ(attribute_id::port_xmit_discard_details, port_xmit_discard_details::layout.id);
    EXPECT_EQ(attribute_id::port_op_rcv_counters, port_op_rcv_counters::layout.id);
    EXPECT_EQ(attribute_id::port_flow_ctl_counters, port_flow_ctl_counters::layout.id);
    EXPECT_EQ(attribute_id::port_vl_op_packets, port_vl_op_packets::layout.id);
    EXPECT_EQ(attribute_id::port_vl_op_data, port_vl_op_data::layout.id);
    EXPECT_EQ(attribute_id::port_vl_xmit_flow_ctl_update_errors, port_vl_xmit_flow_ctl_update_errors::layout.id);
    EXPECT_EQ(attribute_id::port_vl_xmit_wait_counters, port_vl_xmit_wait_counters::layout.id);
    EXPECT_EQ(attribute_id::port_counters_extended, port_counters_extended::layout.id);
    EXPECT_EQ(attribute_id::port_samples_result_extended, port_samples_result_extended::layout.id);
    EXPECT_EQ(attribute_id::port_extended_speeds_counters, port_extended_speeds_counters::layout.id);
    EXPECT_EQ(attribute_id::sw_port_vl_congestion, sw_port_vl_congestion::layout.id);
    EXPECT_EQ(attribute_id::port_rcv_con_ctrl, port_rcv_con_ctrl::layout.id);
    EXPECT_EQ(attribute_id::port_sl_rcv_fecn, port_sl_rcv_fecn::layout.id);
    EXPECT_EQ(attribute_id::port_sl_rcv_becn, port_sl_rcv_becn::layout.id);
    EXPECT_EQ(attribute_id::port_xmit_con_ctrl, port_xmit_con_ctrl::layout.id);
    EXPECT_EQ(attribute_id::port_vl_xmit_time_cong, port_vl_xmit_time_cong::layout.id);
    EXPECT_EQ(attribute_id::port_xmit_data_sl, port_xmit_data_sl::layout.id);
    EXPECT_EQ(attribute_id::port_rcv_data_sl, port_rcv_data_sl::layout.id);
    EXPECT_EQ(attribute_id::port_xmit_data_sl_extended, port_xmit_data_sl_extended::layout.id);
    EXPECT_EQ(attribute_id::port_rcv_data_sl_extended, port_rcv_data_sl_extended::layout.id);
    EXPECT_EQ(attribute_id::node_record, node_record::layout.id);
    EXPECT_EQ(attribute_id::port_info_record, port_info_record::layout.id);
    EXPECT_EQ(attribute_id::sl_to_vl_mapping_table_record, sl_to_vl_mapping_table_record::layout.id);
    EXPECT_EQ(attribute_id::switch_info_record, switch_info_record::layout.id);
    EXPECT_EQ(attribute_id::linear_forwarding_table_record, linear_forwarding_table_record::layout.id);
    EXPECT_EQ(attribute_id::random_forwarding_table_record, random_forwarding_table_record::layout.id);
    EXPECT_EQ(attribute_id::multicast_forwarding_table_record, multicast_forwarding_table_record::layout.id);
    EXPECT_EQ(attribute_id::sm_info_record, sm_info_record::layout.id);
    EXPECT_EQ(attribute_id::link_record, link_record::layout.id);
    EXPECT_EQ(attribute_id::guid_info_record, guid_info_record::layout.id);
    EXPECT_EQ(attribute_id::service_record, service_record::layout.id);
    EXPECT_EQ(attribute_id::p_key_table_record, p_key_table_record::layout.id);
    EXPECT_EQ(attribute_id::path_record, path_record::layout.id);
    EXPECT_EQ(attribute_id::vl_arbitration_table_record, vl_arbitration_table_record::layout.id);
    EXPECT_EQ(attribute_id::mc_member_record, mc_member_record::layout.id);
    EXPECT_EQ(attribute_id::trace_record, trace_record::layout.id);
    EXPECT_EQ(attribute_id::multi_path_record, multi_path_record::layout.id);
    EXPECT_EQ(attribute_id::service_association_record, service_association_record::layout.id);
    EXPECT_EQ(attribute_id::port_info_extended_record, port_info_extended_record::layout.id);
    EXPECT_EQ(attribute_id::inform_info_record, inform_info_record::layout.id);
    EXPECT_EQ(attribute_id::io_unit_info, io_unit_info::layout.id);
    EXPECT_EQ(attribute_id::io_controller_profile, io_controller_profile::layout.id);
    EXPECT_EQ(attribute_id::service_entries, service_entries::layout.id);
    EXPECT_EQ(attribute_id::diagnostic_timeout, diagnostic_timeout::layout.id);
    EXPECT_EQ(attribute_id::device_diag_code, device_diag_code::layout.id);
    EXPECT_EQ(attribute_id::b_key_info, b_key_info::layout.id);
    EXPECT_EQ(attribute_id::congestion_info, congestion_info::layout.id);
    EXPECT_EQ(attribute_id::congestion_key_info, congestion_key_info::layout.id);
    EXPECT_EQ(attribute_id::congestion_log, congestion_log::layout.id);
    EXPECT_EQ(attribute_id::switch_congestion_setting, switch_congestion_setting::layout.id);
    EXPECT_EQ(attribute_id::switch_port_congestion_setting, switch_port_congestion_setting::layout.id);
    EXPECT_EQ(attribute_id::ca_congestion_setting, ca_congestion_setting::layout.id);
    EXPECT_EQ(attribute_id::congestion_control_table, congestion_control_table::layout.id);
    EXPECT_EQ(attribute_id::congestion_time_stamp, congestion_time_stamp::layout.id);
    EXPECT_EQ(attribute_id::cm_req, cm_req::layout.id);
    EXPECT_EQ(attribute_id::cm_mra, cm_mra::layout.id);
    EXPECT_EQ(attribute_id::cm_rej, cm_rej::layout.id);
    EXPECT_EQ(attribute_id::cm_rep, cm_rep::layout.id);
    EXPECT_EQ(attribute_id::cm_rtu, cm_rtu::layout.id);
    EXPECT_EQ(attribute_id::cm_dreq, cm_dreq::layout.id);
    EXPECT_EQ(attribute_id::cm_drep, cm_drep::layout.id);
    EXPECT_EQ(attribute_id::cm_sidr_req, cm_sidr_req::layout.id);
    EXPECT_EQ(attribute_id::cm_sidr_rep, cm_sidr_rep::layout.id);
    EXPECT_EQ(attribute_id::cm_lap, cm_lap::layout.id);
    EXPECT_EQ(attribute_id::cm_apr, cm_apr::layout.id);
}

std::vector<std::byte> mad_of(management_class class_of_mad, std::uint16_t attribute)
{
    std::vector<std::byte> bytes(mad_size);
    mutable_mad_view const mad{bytes};
    mad.set_mgmt_class(class_of_mad);
    mad.set_attribute_id(attribute);
    return bytes;
}

TEST(Registry, TellsTheCongestionLogOfASwitchFromThatOfACaByItsType)
{
    auto bytes = mad_of(management_class::congestion, attribute_id::congestion_log);
    auto const find = [&](congestion_log_type type) {
        EXPECT_TRUE(mutable_mad_view{bytes}.set_attribute(congestion_log{.type = type}));
        return find_attribute(mad_view{bytes});
    };
    EXPECT_EQ(find(congestion_log_type::switch_), find_attribute("CongestionLogSwitch"));
    EXPECT_EQ(find(congestion_log_type::ca), find_attribute("CongestionLogCA"));
    EXPECT_EQ(find(congestion_log_type{3}), find_attribute("CongestionLog"));
    EXPECT_EQ(std::to_integer<int>(bytes[32]), 3) << "the log begins at byte 32";
    EXPECT_EQ(mad_view{bytes}.data().size(), 224U);
}

TEST(Registry, FindsTheAttributeOfAMad)
{
    EXPECT_EQ(find_attribute(mad_view{mad_of(management_class::communication, 0x10)}), find_attribute("REQ"));
    EXPECT_EQ(find_attribute(mad_view{mad_of(management_class::performance, 0x12)}), find_attribute("PortCounters"));
    EXPECT_EQ(find_attribute(mad_view{mad_of(management_class::performance, 0xFFFF)}), nullptr);
}

} // namespace
} // namespace madrigal
