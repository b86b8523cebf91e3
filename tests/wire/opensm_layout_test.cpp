// Where the fields of tables begin, beside the structures of OpenSM's header: another reading of the IBA, of tables
// that libibmad does not have.
#include <gtest/gtest.h>

#if MADRIGAL_HAS_OPENSM_HEADER
#include <madrigal/wire/class_capability.hpp>
#include <madrigal/wire/registry.hpp>

#include <iba/ib_types.h>

#include <cstddef>
#endif

namespace madrigal {
namespace {

#if MADRIGAL_HAS_OPENSM_HEADER

/// A field of ours that begins where a member of OpenSM's does, and how many bytes the member has.
struct place {
    std::string_view field;
    std::size_t byte;
    std::size_t size;
    std::size_t element = 0;
};

void expect_places(std::string_view table, std::initializer_list<place> places)
{
    auto const* const found = find_attribute(table);
    ASSERT_NE(found, nullptr) << table;
    for (auto const& one : places) {
        field_description const* field = nullptr;
        for (auto const& other : found->fields)
            if (other.name == one.field)
                field = &other;
        ASSERT_NE(field, nullptr) << table << '.' << one.field;
        auto const begin = field->element_offset(one.element);
        EXPECT_EQ(begin / 8, one.byte) << table << '.' << one.field;
        EXPECT_EQ((begin + field->width - 1) / 8, one.byte + one.size - 1) << table << '.' << one.field;
    }
}

// The bytes of a member that no other field shares.
#define MADRIGAL_PLACE(field, type, member)                                                                            \
    {                                                                                                                  \
        field, offsetof(type, member), sizeof(type::member)                                                            \
    }

TEST(PlacesBesideOpenSm, DeviceManagement)
{
    expect_places("IOUnitInfo", {MADRIGAL_PLACE("Change_ID", ib_iou_info_t, change_id),
                                    MADRIGAL_PLACE("MaxControllers", ib_iou_info_t, max_controllers),
                                    MADRIGAL_PLACE("DiagDeviceID", ib_iou_info_t, diag_rom),
                                    MADRIGAL_PLACE("OptionROM", ib_iou_info_t, diag_rom),
                                    {"Controller", offsetof(ib_iou_info_t, controller_list), 1, 0},
                                    {"Controller", offsetof(ib_iou_info_t, controller_list) + 127, 1, 255}});
    expect_places("IOControllerProfile",
        {MADRIGAL_PLACE("GUID", ib_ioc_profile_t, ioc_guid), {"VendorID", offsetof(ib_ioc_profile_t, vend_id), 3},
            MADRIGAL_PLACE("DeviceID", ib_ioc_profile_t, dev_id),
            MADRIGAL_PLACE("DeviceVersion", ib_ioc_profile_t, dev_ver),
            {"SubsystemVendorID", offsetof(ib_ioc_profile_t, subsys_vend_id), 3},
            MADRIGAL_PLACE("SubsystemID", ib_ioc_profile_t, subsys_id),
            MADRIGAL_PLACE("IOClass", ib_ioc_profile_t, io_class),
            MADRIGAL_PLACE("IOSubclass", ib_ioc_profile_t, io_subclass),
            MADRIGAL_PLACE("Protocol", ib_ioc_profile_t, protocol),
            MADRIGAL_PLACE("ProtocolVersion", ib_ioc_profile_t, protocol_ver),
            MADRIGAL_PLACE("SendMessageDepth", ib_ioc_profile_t, send_msg_depth),
            MADRIGAL_PLACE("RDMAReadDepth", ib_ioc_profile_t, rdma_read_depth),
            MADRIGAL_PLACE("SendMessageSize", ib_ioc_profile_t, send_msg_size),
            MADRIGAL_PLACE("RDMATransferSize", ib_ioc_profile_t, rdma_size),
            MADRIGAL_PLACE("ControllerOperationsMask", ib_ioc_profile_t, ctrl_ops_cap),
            MADRIGAL_PLACE("ServiceEntries", ib_ioc_profile_t, num_svc_entries),
            MADRIGAL_PLACE("IDString", ib_ioc_profile_t, id_string)});
    EXPECT_EQ(find_attribute("IOControllerProfile")->layout.size, sizeof(ib_ioc_profile_t));
    expect_places("ServiceEntries",
        {MADRIGAL_PLACE("ServiceName", ib_svc_entry_t, name), MADRIGAL_PLACE("ServiceID", ib_svc_entry_t, id),
            {"ServiceName", 3 * sizeof(ib_svc_entry_t), 40, 3}});
}

TEST(PlacesBesideOpenSm, Records)
{
    expect_places("PathRecord",
        {MADRIGAL_PLACE("ServiceID", ib_path_rec_t, service_id), MADRIGAL_PLACE("DGID", ib_path_rec_t, dgid),
            MADRIGAL_PLACE("SGID", ib_path_rec_t, sgid), MADRIGAL_PLACE("DLID", ib_path_rec_t, dlid),
            MADRIGAL_PLACE("SLID", ib_path_rec_t, slid), {"RawTraffic", offsetof(ib_path_rec_t, hop_flow_raw), 1},
            {"HopLimit", offsetof(ib_path_rec_t, hop_flow_raw) + 3, 1}, MADRIGAL_PLACE("TClass", ib_path_rec_t, tclass),
            MADRIGAL_PLACE("Reversible", ib_path_rec_t, num_path), MADRIGAL_PLACE("NumbPath", ib_path_rec_t, num_path),
            MADRIGAL_PLACE("P_Key", ib_path_rec_t, pkey), MADRIGAL_PLACE("QoSClass", ib_path_rec_t, qos_class_sl),
            {"SL", offsetof(ib_path_rec_t, qos_class_sl) + 1, 1}, MADRIGAL_PLACE("Mtu", ib_path_rec_t, mtu),
            MADRIGAL_PLACE("Rate", ib_path_rec_t, rate), MADRIGAL_PLACE("PacketLifeTime", ib_path_rec_t, pkt_life),
            MADRIGAL_PLACE("Preference", ib_path_rec_t, preference)});
    EXPECT_EQ(find_attribute("PathRecord")->layout.size, sizeof(ib_path_rec_t));
    expect_places("MultiPathRecord",
        {MADRIGAL_PLACE("TClass", ib_multipath_rec_t, tclass), MADRIGAL_PLACE("P_Key", ib_multipath_rec_t, pkey),
            MADRIGAL_PLACE("Mtu", ib_multipath_rec_t, mtu), MADRIGAL_PLACE("Rate", ib_multipath_rec_t, rate),
            MADRIGAL_PLACE("PacketLifeTime", ib_multipath_rec_t, pkt_life),
            MADRIGAL_PLACE("ServiceID8MSB", ib_multipath_rec_t, service_id_8msb),
            MADRIGAL_PLACE("IndependenceSelector", ib_multipath_rec_t, independence),
            MADRIGAL_PLACE("SGIDCount", ib_multipath_rec_t, sgid_count),
            MADRIGAL_PLACE("DGIDCount", ib_multipath_rec_t, dgid_count),
            MADRIGAL_PLACE("ServiceID56LSB", ib_multipath_rec_t, service_id_56lsb)});
    EXPECT_EQ(find_attribute("MultiPathRecord")->layout.size, offsetof(ib_multipath_rec_t, gids));
    expect_places("ServiceRecord", {MADRIGAL_PLACE("ServiceKey", ib_service_record_t, service_key),
                                       MADRIGAL_PLACE("ServiceName", ib_service_record_t, service_name),
                                       {"ServiceData16", offsetof(ib_service_record_t, service_data16), 2, 0},
                                       {"ServiceData32", offsetof(ib_service_record_t, service_data32), 4, 0},
                                       {"ServiceData64", offsetof(ib_service_record_t, service_data64), 8, 0}});
    expect_places("LinkRecord", {MADRIGAL_PLACE("FromLID", ib_link_record_t, from_lid),
                                    MADRIGAL_PLACE("FromPort", ib_link_record_t, from_port_num),
                                    MADRIGAL_PLACE("ToPort", ib_link_record_t, to_port_num),
                                    MADRIGAL_PLACE("ToLID", ib_link_record_t, to_lid)});
    expect_places(
        "InformInfo", {MADRIGAL_PLACE("GID", ib_inform_info_t, gid),
                          MADRIGAL_PLACE("LIDRangeBegin", ib_inform_info_t, lid_range_begin),
                          MADRIGAL_PLACE("LIDRangeEnd", ib_inform_info_t, lid_range_end),
                          MADRIGAL_PLACE("IsGeneric", ib_inform_info_t, is_generic),
                          MADRIGAL_PLACE("Subscribe", ib_inform_info_t, subscribe),
                          MADRIGAL_PLACE("Type", ib_inform_info_t, trap_type),
                          MADRIGAL_PLACE("TrapNumber", ib_inform_info_t, g_or_v.generic.trap_num),
                          {"QPN", offsetof(ib_inform_info_t, g_or_v.generic.qpn_resp_time_val), 3},
                          {"RespTimeValue", offsetof(ib_inform_info_t, g_or_v.generic.qpn_resp_time_val) + 3, 1},
                          {"ProducerType", offsetof(ib_inform_info_t, g_or_v.generic.node_type_msb), 3}});
    EXPECT_EQ(find_attribute("InformInfo")->layout.size, sizeof(ib_inform_info_t));
    expect_places("InformInfoRecord", {MADRIGAL_PLACE("Enum", ib_inform_info_record_t, subscriber_enum),
                                          {"GID", offsetof(ib_inform_info_record_t, inform_info), 16}});
    expect_places("PortInfoRecord", {MADRIGAL_PLACE("PortNum", ib_portinfo_record_t, port_num),
                                        MADRIGAL_PLACE("Options", ib_portinfo_record_t, options),
                                        {"M_Key", offsetof(ib_portinfo_record_t, port_info), 8}});
    expect_places("PortInfoExtendedRecord", {{"CapMask", offsetof(ib_portinfoext_record_t, port_info_ext), 4}});
    expect_places("SMInfoRecord", {{"GUID", offsetof(ib_sminfo_record_t, sm_info), 8}});
    expect_places("SwitchInfoRecord", {{"LinearFDBCap", offsetof(ib_switch_info_record_t, switch_info), 2}});
    expect_places("LinearForwardingTableRecord",
        {MADRIGAL_PLACE("BlockNum", ib_lft_record_t, block_num), {"Port", offsetof(ib_lft_record_t, lft) + 63, 1, 63}});
    expect_places("MulticastForwardingTableRecord", {{"Position", offsetof(ib_mft_record_t, position_block_num), 1},
                                                        MADRIGAL_PLACE("BlockNum", ib_mft_record_t, position_block_num),
                                                        {"PortMask", offsetof(ib_mft_record_t, mft) + 62, 2, 31}});
    expect_places("P_KeyTableRecord", {MADRIGAL_PLACE("BlockNum", ib_pkey_table_record_t, block_num),
                                          MADRIGAL_PLACE("PortNum", ib_pkey_table_record_t, port_num),
                                          {"P_Key", offsetof(ib_pkey_table_record_t, pkey_tbl), 2, 0}});
    expect_places("SLtoVLMappingTableRecord", {MADRIGAL_PLACE("InputPortNum", ib_slvl_table_record_t, in_port_num),
                                                  MADRIGAL_PLACE("OutputPortNum", ib_slvl_table_record_t, out_port_num),
                                                  {"SLtoVL", offsetof(ib_slvl_table_record_t, slvl_tbl) + 7, 1, 15}});
    expect_places("VLArbitrationTableRecord",
        {MADRIGAL_PLACE("OutputPortNum", ib_vl_arb_table_record_t, port_num),
            MADRIGAL_PLACE("BlockNum", ib_vl_arb_table_record_t, block_num),
            {"VL", offsetof(ib_vl_arb_table_record_t, vl_arb_tbl) + offsetof(ib_vl_arb_element_t, vl), 1, 0},
            {"Weight", offsetof(ib_vl_arb_table_record_t, vl_arb_tbl) + offsetof(ib_vl_arb_element_t, weight), 1, 0}});
}

TEST(PlacesBesideOpenSm, WhatLibibmadReadsInAnotherWay)
{
    expect_places("PortCounters", {MADRIGAL_PLACE("QP1Dropped", ib_port_counters_t, qp1_dropped),
                                      MADRIGAL_PLACE("VL15Dropped", ib_port_counters_t, vl15_dropped)});
    expect_places(
        "PortInfoExtended", {MADRIGAL_PLACE("EDRFECModeEnabled", ib_port_info_ext_t, edr_fec_mode_enable),
                                MADRIGAL_PLACE("HDRFECModeSupported", ib_port_info_ext_t, hdr_fec_mode_sup),
                                MADRIGAL_PLACE("HDRFECModeEnabled", ib_port_info_ext_t, hdr_fec_mode_enable)});
    constexpr auto events = offsetof(ib_cong_log_t, log_details.log_ca.log_event);
    constexpr auto remote = events + offsetof(ib_cong_log_event_ca_t, remote_qp_sl_service_type);
    expect_places("CongestionLogCA",
        {{"Local_QP_CN_Entry", events, 3}, {"Remote_QP_Number_CN_Entry", remote, 3}, {"SL_CN_Entry", remote + 3, 1},
            {"Service_Type_CN_Entry", remote + 3, 1},
            {"Remote_LID_CN_Entry", events + offsetof(ib_cong_log_event_ca_t, remote_lid), 2},
            {"Timestamp_CN_Entry", events + offsetof(ib_cong_log_event_ca_t, time_stamp), 4},
            {"Timestamp_CN_Entry",
                events + 12 * sizeof(ib_cong_log_event_ca_t) + offsetof(ib_cong_log_event_ca_t, time_stamp), 4, 12}});
    expect_places("CongestionLogSwitch",
        {{"SLID", offsetof(ib_cong_log_t, log_details.log_sw.entry_list), 2},
            {"Timestamp",
                offsetof(ib_cong_log_t, log_details.log_sw.entry_list) + 14 * sizeof(ib_cong_log_event_sw_t) + 8, 4,
                14}});
}

TEST(CapabilitiesBesideOpenSm, PerformanceManagement)
{
    auto const mask = [](performance_capability one) { return cl_hton16(static_cast<std::uint16_t>(one)); };
    EXPECT_EQ(mask(performance_capability::all_port_select), IB_PM_ALL_PORT_SELECT);
    EXPECT_EQ(mask(performance_capability::extended_width), IB_PM_EXT_WIDTH_SUPPORTED);
    EXPECT_EQ(mask(performance_capability::extended_width_no_ietf), IB_PM_EXT_WIDTH_NOIETF_SUP);
    EXPECT_EQ(mask(performance_capability::samples_only), IB_PM_SAMPLES_ONLY_SUP);
    EXPECT_EQ(mask(performance_capability::xmit_wait), IB_PM_PC_XMIT_WAIT_SUP);
    EXPECT_EQ(mask(performance_capability::inhibit_limited_p_key_multicast_constraint_errors),
        IS_PM_INH_LMTD_PKEY_MC_CONSTR_ERR);
    EXPECT_EQ(mask(performance_capability::rs_fec_counters), IS_PM_RSFEC_COUNTERS_SUP);
    EXPECT_EQ(mask(performance_capability::qp1_dropped), IB_PM_IS_QP1_DROP_SUP);
}

#else

TEST(PlacesBesideOpenSm, NeedOpenSmsHeader)
{
    GTEST_SKIP() << "OpenSM's header iba/ib_types.h was not found (Debian: libopensm-dev)";
}

#endif

} // namespace
} // namespace madrigal
