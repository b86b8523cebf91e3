// The same bytes through libibmad's field tables: an independent reading of the IBA must see the same bits. Every field
// that libibmad has is compared, or named with the reason why not.
#include <gtest/gtest.h>

#if MADRIGAL_HAS_LIBIBMAD
#include "wire/libibmad_ledger.hpp"

#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/class_header.hpp>
#include <madrigal/wire/smp.hpp>
#include <madrigal/wire/trap.hpp>
#endif

namespace madrigal::test {
namespace {

#if MADRIGAL_HAS_LIBIBMAD

template <class T>
attribute_descriptor const& table()
{
    static auto const descriptor = describe_attribute<T>();
    return descriptor;
}

attribute_descriptor const& named(std::string_view name)
{
    return *find_attribute(name);
}

void compare_headers(libibmad_ledger& with)
{
    auto const& smp = table<directed_route_smp>();
    auto const& sa = table<sa_header>();
    with.leave_out(IB_MAD_METHOD_F, "the lower 7 bits of Method, which is one field of the IBA's");
    with.leave_out(IB_MAD_RESPONSE_F, "the top bit of Method, which is one field of the IBA's");
    with.compare(sa, "ClassVersion", IB_MAD_CLASSVER_F, IB_MAD_CLASSVER_F + 1);
    with.compare(sa, "MgmtClass", IB_MAD_MGMTCLASS_F, IB_MAD_MGMTCLASS_F + 1);
    with.compare(sa, "BaseVersion", IB_MAD_BASEVER_F, IB_MAD_BASEVER_F + 1);
    with.compare(sa, "Status", IB_MAD_STATUS_F, IB_MAD_STATUS_F + 1);
    with.compare(sa, "TransactionID", IB_MAD_TRID_F, IB_MAD_ATTRMOD_F + 1);
    with.compare(smp, "HopCount", IB_DRSMP_HOPCNT_F, IB_DRSMP_HOPCNT_F + 1);
    with.compare(smp, "HopPointer", IB_DRSMP_HOPPTR_F, IB_DRSMP_HOPPTR_F + 1);
    with.compare(smp, "Status", IB_DRSMP_STATUS_F, IB_DRSMP_STATUS_F + 1);
    with.compare(smp, "D", IB_DRSMP_DIRECTION_F, IB_DRSMP_DIRECTION_F + 1);
    with.compare(smp, "M_Key", IB_MAD_MKEY_F, IB_MAD_MKEY_F + 1);
    with.compare(smp, "DrDLID", IB_DRSMP_DRDLID_F, IB_DRSMP_DRDLID_F + 1);
    with.compare(smp, "DrSLID", IB_DRSMP_DRSLID_F, IB_DRSMP_DRSLID_F + 1);
    with.compare_whole(smp, "InitialPath", "InitialPath", IB_DRSMP_PATH_F);
    with.compare_whole(smp, "ReturnPath", "ReturnPath", IB_DRSMP_RPATH_F);
    with.compare(sa, "SM_Key", IB_SA_MKEY_F, IB_SA_COMPMASK_F + 1);
    with.compare(sa, "RMPPVersion", IB_SA_RMPP_VERS_F, IB_SA_RMPP_D1_F + 1);
    with.compare(sa, "Data2", IB_SA_RMPP_D2_F, IB_SA_RMPP_D2_F + 1);
    for (auto const again : {IB_SA_RMPP_SEGNUM_F, IB_SA_RMPP_LEN_F, IB_SA_RMPP_NEWWIN_F})
        with.leave_out(again, "another name of Data1 or Data2");
    with.compare(table<vendor_oui_header>(), "OUI", IB_VEND2_OUI_F, IB_VEND2_OUI_F + 1);
    with.compare(table<congestion_header>(), "CC_Key", IB_CC_CCKEY_F, IB_CC_CCKEY_F + 1);
    for (auto const data : {IB_SA_DATA_F, IB_GS_DATA_F, IB_VEND2_DATA_F})
        with.leave_out(data, "no field but the whole data of a class: see the test of its offset");
    for (auto const half : {IB_GID_PREFIX_F, IB_GID_GUID_F})
        with.leave_out(half, "half of a GID, which is a type here: see the test of GIDs");
}

void compare_subnet_management(libibmad_ledger& with)
{
    with.compare(named("PortInfo"), "M_Key", IB_PORT_FIRST_F, IB_PORT_LINK_ROUND_TRIP_F);
    with.compare(named("PortInfo"), "LinkRoundTripLatency", IB_PORT_LINK_ROUND_TRIP_F, IB_PORT_LAST_F);
    with.compare(named("PortInfo"), "CapabilityMask2", IB_PORT_CAPMASK2_F, IB_PORT_LINK_SPEED_EXT_LAST_F);
    with.compare(named("NodeInfo"), "BaseVersion", IB_NODE_FIRST_F, IB_NODE_LAST_F);
    with.compare(named("SwitchInfo"), "LinearFDBCap", IB_SW_FIRST_F, IB_SW_LAST_F);
    with.compare(named("NodeDescription"), "NodeDescription", IB_NODE_DESC_F, IB_NODE_DESC_F + 1);
    with.compare(named("SMInfo"), "GUID", IB_SMINFO_GUID_F, IB_SMINFO_STATE_F + 1);
    with.compare(named("GUIDInfo"), "GUID", IB_GI_GUID0_F, IB_GI_GUID7_F + 1);
    with.leave_out(IB_GUID_GUID0_F, "an older name of IB_GI_GUID0_F");
    with.compare_whole(named("LinearForwardingTable"), "Port", "Port", IB_LINEAR_FORW_TBL_F);
    with.compare_whole(named("MulticastForwardingTable"), "PortMask", "PortMask", IB_MULTICAST_FORW_TBL_F);
    with.compare_whole(named("SLtoVLMappingTable"), "SLtoVL", "SLtoVL", IB_SLTOVL_MAPPING_TABLE_F);
    with.compare_whole(named("VLArbitrationTable"), "VL", "Weight", IB_VL_ARBITRATION_TABLE_F);
    with.compare(
        named("MlnxExtPortInfo"), "StateChangeEnable", IB_MLNX_EXT_PORT_STATE_CHG_ENABLE_F, IB_MLNX_EXT_PORT_LAST_F);

    auto const& extended = named("PortInfoExtended");
    with.compare(extended, "CapMask", IB_PORT_EXT_FIRST_F, IB_PORT_EXT_LAST_F);
    std::string const swapped = "libibmad takes the other half of the 32 bits: IBA table PortInfoExtended has the four "
                                "fields behind EDRFECModeEnabled at 112, 128, 144 and 160, as OpenSM has them";
    with.disagree(extended, "HDRFECModeSupported", IB_PORT_EXT_HDR_FEC_MODE_SUPPORTED_F, {96, 16}, swapped);
    with.disagree(extended, "HDRFECModeEnabled", IB_PORT_EXT_HDR_FEC_MODE_ENABLED_F, {144, 16}, swapped);
    with.disagree(extended, "NDRFECModeSupported", IB_PORT_EXT_NDR_FEC_MODE_SUPPORTED_F, {128, 16}, swapped);
    with.disagree(extended, "NDRFECModeEnabled", IB_PORT_EXT_NDR_FEC_MODE_ENABLED_F, {176, 16}, swapped);
}

void compare_notices(libibmad_ledger& with)
{
    constexpr unsigned details = 80;
    with.compare(named("Notice"), "IsGeneric", IB_NOTICE_IS_GENERIC_F, IB_NOTICE_DATA_DETAILS_F + 1);
    with.compare(table<link_state_trap>(), "LIDADDR", IB_NOTICE_DATA_LID_F, IB_NOTICE_DATA_LID_F + 1, details);
    auto const& changes = table<local_changes_trap>();
    with.compare(changes, "LIDADDR", IB_NOTICE_DATA_144_LID_F, IB_NOTICE_DATA_144_LID_F + 1, details);
    with.compare(changes, "CAPABILITYMASK", IB_NOTICE_DATA_144_CAPMASK_F, IB_NOTICE_DATA_144_CAPMASK_F + 1, details);
    with.compare(named("ClassPortInfo"), "BaseVersion", IB_CPI_BASEVER_F, IB_CPI_TRAP_QKEY_F + 1);
}

void compare_performance(libibmad_ledger& with)
{
    auto const& counters = named("PortCounters");
    with.compare(counters, "PortSelect", IB_PC_FIRST_F, IB_PC_VL15_DROPPED_F);
    with.compare(counters, "VL15Dropped", IB_PC_VL15_DROPPED_F, IB_PC_LAST_F);
    with.disagree(counters, "QP1Dropped", IB_PC_QP1_DROP_F, {176, 16},
        "libibmad reads VL15Dropped again: IBA table PortCounters has QP1Dropped before it at 160, as OpenSM has it");
    auto const& extended = named("PortCountersExtended");
    with.compare(extended, "PortSelect", IB_PC_EXT_PORT_SELECT_F, IB_PC_EXT_XMT_BYTES_F);
    with.compare(extended, "PortXmitData", IB_PC_EXT_XMT_BYTES_F, IB_PC_EXT_LAST_F);
    with.compare(extended, "CounterSelect2", IB_PC_EXT_COUNTER_SELECT2_F, IB_PC_EXT_COUNTER_SELECT2_F + 1);
    with.compare(extended, "SymbolErrorCounter", IB_PC_EXT_ERR_SYM_F, IB_PC_EXT_ERR_LAST_F);
    with.compare(named("PortXmitDataSL"), "PortXmitDataSL", IB_PC_XMT_DATA_SL_FIRST_F, IB_PC_XMT_DATA_SL_LAST_F);
    with.compare(named("PortRcvDataSL"), "PortRcvDataSL", IB_PC_RCV_DATA_SL_FIRST_F, IB_PC_RCV_DATA_SL_LAST_F);
    with.compare(
        named("PortXmitDiscardDetails"), "PortInactiveDiscards", IB_PC_XMT_INACT_DISC_F, IB_PC_XMT_DISC_LAST_F);
    with.compare(
        named("PortRcvErrorDetails"), "PortLocalPhysicalErrors", IB_PC_RCV_LOCAL_PHY_ERR_F, IB_PC_RCV_ERR_LAST_F);

    auto const& control = named("PortSamplesControl");
    with.compare(control, "OpCode", IB_PSC_OPCODE_F, IB_PSC_COUNTER_MASKS1TO9_F);
    with.compare_whole_bits(control, "CounterMasks1to9", IB_PSC_COUNTER_MASKS1TO9_F);
    with.compare_whole_bits(control, "CounterMasks10to14", IB_PSC_COUNTER_MASKS10TO14_F);
    with.compare(control, "SampleMechanisms", IB_PSC_SAMPLE_MECHS_F, IB_PSC_LAST_F);
    with.compare(named("PortSamplesResult"), "Tag", IB_PSR_TAG_F, IB_PSR_LAST_F);

    with.compare(named("PortExtendedSpeedsCounters"), "PortSelect", IB_PESC_PORT_SELECT_F, IB_PESC_LAST_F);
    with.compare(
        named("PortExtendedSpeedsRSFECCounters"), "PortSelect", IB_PESC_RSFEC_PORT_SELECT_F, IB_PESC_RSFEC_LAST_F);
    with.compare(named("PortOpRcvCounters"), "PortOpRcvPkts", IB_PC_PORT_OP_RCV_COUNTERS_FIRST_F,
        IB_PC_PORT_OP_RCV_COUNTERS_LAST_F);
    with.compare(named("PortFlowCtlCounters"), "PortXmitFlowPkts", IB_PC_PORT_FLOW_CTL_COUNTERS_FIRST_F,
        IB_PC_PORT_FLOW_CTL_COUNTERS_LAST_F);
    with.compare(
        named("PortVLOpPackets"), "PortVLOpPackets", IB_PC_PORT_VL_OP_PACKETS_FIRST_F, IB_PC_PORT_VL_OP_PACKETS_LAST_F);
    with.compare(named("PortVLOpData"), "PortVLOpData", IB_PC_PORT_VL_OP_DATA_FIRST_F, IB_PC_PORT_VL_OP_DATA_LAST_F);
    with.compare(named("PortVLXmitFlowCtlUpdateErrors"), "PortVLXmitFlowCtlUpdateErrors",
        IB_PC_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS_FIRST_F, IB_PC_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS_LAST_F);
    with.compare(named("PortVLXmitWaitCounters"), "PortVLXmitWait", IB_PC_PORT_VL_XMIT_WAIT_COUNTERS_FIRST_F,
        IB_PC_PORT_VL_XMIT_WAIT_COUNTERS_LAST_F);
    with.compare(named("SwPortVLCongestion"), "SwPortVLCongestion", IB_PC_SW_PORT_VL_CONGESTION_FIRST_F,
        IB_PC_SW_PORT_VL_CONGESTION_LAST_F);
    with.compare(named("PortRcvConCtrl"), "PortPktRcvFECN", IB_PC_RCV_CON_CTRL_FIRST_F, IB_PC_RCV_CON_CTRL_LAST_F);
    with.compare(named("PortSLRcvFECN"), "PortSLRcvFECN", IB_PC_SL_RCV_FECN_FIRST_F, IB_PC_SL_RCV_FECN_LAST_F);
    with.compare(named("PortSLRcvBECN"), "PortSLRcvBECN", IB_PC_SL_RCV_BECN_FIRST_F, IB_PC_SL_RCV_BECN_LAST_F);
    with.compare(named("PortXmitConCtrl"), "PortXmitTimeCong", IB_PC_XMIT_CON_CTRL_FIRST_F, IB_PC_XMIT_CON_CTRL_LAST_F);
    with.compare(named("PortVLXmitTimeCong"), "PortVLXmitTimeCong", IB_PC_VL_XMIT_TIME_CONG_FIRST_F,
        IB_PC_VL_XMIT_TIME_CONG_LAST_F);
}

void compare_subnet_administration(libibmad_ledger& with)
{
    with.compare(named("NodeRecord"), "LID", IB_SA_NR_FIRST_F, IB_SA_NR_LAST_F);
    with.compare(named("GUIDInfoRecord"), "LID", IB_SA_GIR_LID_F, IB_SA_GIR_GUID7_F + 1);
    auto const& path = named("PathRecord");
    with.compare(path, "DGID", IB_SA_PR_DGID_F, IB_SA_PR_SLID_F + 1);
    with.compare(path, "NumbPath", IB_SA_PR_NPATH_F, IB_SA_PR_NPATH_F + 1);
    with.compare(path, "SL", IB_SA_PR_SL_F, IB_SA_PR_SL_F + 1);
    auto const& paths = named("MultiPathRecord");
    with.compare(paths, "NumbPath", IB_SA_MP_NPATH_F, IB_SA_MP_NPATH_F + 1);
    with.compare(paths, "SGIDCount", IB_SA_MP_NSRC_F, IB_SA_MP_NDEST_F + 1);
    with.leave_out(IB_SA_MP_GID0_F, "the first GID behind the structure: see the test of MultiPathRecord's GIDs");
    auto const& member = named("MCMemberRecord");
    auto const one = [&](std::string_view name, int theirs) { with.compare(member, name, theirs, theirs + 1); };
    one("MGID", IB_SA_MCM_MGID_F);
    one("PortGID", IB_SA_MCM_PORTGID_F);
    one("Q_Key", IB_SA_MCM_QKEY_F);
    one("MLID", IB_SA_MCM_MLID_F);
    one("SL", IB_SA_MCM_SL_F);
    one("MTU", IB_SA_MCM_MTU_F);
    one("Rate", IB_SA_MCM_RATE_F);
    one("TClass", IB_SA_MCM_TCLASS_F);
    one("P_Key", IB_SA_MCM_PKEY_F);
    one("FlowLabel", IB_SA_MCM_FLOW_LABEL_F);
    one("JoinState", IB_SA_MCM_JOIN_STATE_F);
    one("ProxyJoin", IB_SA_MCM_PROXY_JOIN_F);
    auto const& service = named("ServiceRecord");
    with.compare(service, "ServiceID", IB_SA_SR_ID_F, IB_SA_SR_DATA_F);
    with.compare_whole(service, "ServiceData8", "ServiceData64", IB_SA_SR_DATA_F);
    for (auto const ats : {IB_ATS_SM_NODE_ADDR_F, IB_ATS_SM_MAGIC_KEY_F, IB_ATS_SM_NODE_TYPE_F, IB_ATS_SM_NODE_NAME_F})
        with.leave_out(ats, "address translation: what one program puts into a ServiceRecord, not the IBA's");
}

void compare_congestion(libibmad_ledger& with)
{
    with.compare(
        named("CongestionInfo"), "CongestionInfo", IB_CC_CONGESTION_INFO_FIRST_F, IB_CC_CONGESTION_INFO_LAST_F);
    with.compare(
        named("CongestionKeyInfo"), "CC_Key", IB_CC_CONGESTION_KEY_INFO_FIRST_F, IB_CC_CONGESTION_KEY_INFO_LAST_F);
    with.compare(named("CongestionLog"), "LogType", IB_CC_CONGESTION_LOG_FIRST_F, IB_CC_CONGESTION_LOG_LAST_F);
    with.compare(named("CongestionLogSwitch"), "LogEventsCounter", IB_CC_CONGESTION_LOG_SWITCH_FIRST_F,
        IB_CC_CONGESTION_LOG_SWITCH_LAST_F);
    with.compare(table<congestion_switch_entry>(), "SLID", IB_CC_CONGESTION_LOG_ENTRY_SWITCH_FIRST_F,
        IB_CC_CONGESTION_LOG_ENTRY_SWITCH_LAST_F);
    with.compare(named("CongestionLogCA"), "ThresholdEventCounter", IB_CC_CONGESTION_LOG_CA_FIRST_F,
        IB_CC_CONGESTION_LOG_CA_LAST_F);
    auto const& entry = table<congestion_ca_entry>();
    auto const one = [&](std::string_view name, int theirs) { with.compare(entry, name, theirs, theirs + 1); };
    one("Local_QP_CN_Entry", IB_CC_CONGESTION_LOG_ENTRY_CA_LOCAL_QP_CN_ENTRY_F);
    one("Remote_QP_Number_CN_Entry", IB_CC_CONGESTION_LOG_ENTRY_CA_REMOTE_QP_NUMBER_CN_ENTRY_F);
    one("Timestamp_CN_Entry", IB_CC_CONGESTION_LOG_ENTRY_CA_TIMESTAMP_CN_ENTRY_F);
    std::string const other =
        "IBA table CongestionLogEvent CA has SL and service type behind the remote queue pair, and "
        "the remote LID alone behind them, as OpenSM has them";
    with.disagree(entry, "SL_CN_Entry", IB_CC_CONGESTION_LOG_ENTRY_CA_SL_CN_ENTRY_F, {24, 4}, other);
    with.disagree(
        entry, "Service_Type_CN_Entry", IB_CC_CONGESTION_LOG_ENTRY_CA_SERVICE_TYPE_CN_ENTRY_F, {28, 4}, other);
    with.disagree(entry, "Remote_LID_CN_Entry", IB_CC_CONGESTION_LOG_ENTRY_CA_REMOTE_LID_CN_ENTRY_F, {80, 16}, other);
    with.leave_out(IB_CC_CONGESTION_LOG_ENTRY_CA_LOCAL_LID_CN_F, "the IBA has no local LID there; " + other);
    with.compare(named("SwitchCongestionSetting"), "Control_Map", IB_CC_SWITCH_CONGESTION_SETTING_FIRST_F,
        IB_CC_SWITCH_CONGESTION_SETTING_LAST_F);
    with.compare(table<switch_port_congestion>(), "Valid", IB_CC_SWITCH_PORT_CONGESTION_SETTING_ELEMENT_FIRST_F,
        IB_CC_SWITCH_PORT_CONGESTION_SETTING_ELEMENT_LAST_F);
    with.compare(named("CACongestionSetting"), "Port_Control", IB_CC_CA_CONGESTION_SETTING_FIRST_F,
        IB_CC_CA_CONGESTION_SETTING_LAST_F);
    with.compare(table<ca_congestion_entry>(), "CCTI_Timer", IB_CC_CA_CONGESTION_ENTRY_FIRST_F,
        IB_CC_CA_CONGESTION_ENTRY_LAST_F);
    with.compare(named("CongestionControlTable"), "CCTI_Limit", IB_CC_CONGESTION_CONTROL_TABLE_FIRST_F,
        IB_CC_CONGESTION_CONTROL_TABLE_LAST_F);
    with.compare(table<congestion_control_entry>(), "CCT_Shift", IB_CC_CONGESTION_CONTROL_TABLE_ENTRY_FIRST_F,
        IB_CC_CONGESTION_CONTROL_TABLE_ENTRY_LAST_F);
    with.compare(named("TimeStamp"), "Timestamp", IB_CC_TIMESTAMP_FIRST_F, IB_CC_TIMESTAMP_LAST_F);
}

TEST(AgreementWithLibibmad, IsThereInEachFieldOfTheHeaders)
{
    libibmad_ledger with;
    compare_headers(with);
}

TEST(AgreementWithLibibmad, IsThereInEachFieldOfSubnetManagement)
{
    libibmad_ledger with;
    compare_subnet_management(with);
}

TEST(AgreementWithLibibmad, IsThereInEachFieldOfNotices)
{
    libibmad_ledger with;
    compare_notices(with);
}

TEST(AgreementWithLibibmad, IsThereInEachFieldOfPerformanceManagement)
{
    libibmad_ledger with;
    compare_performance(with);
}

TEST(AgreementWithLibibmad, IsThereInEachFieldOfSubnetAdministration)
{
    libibmad_ledger with;
    compare_subnet_administration(with);
}

TEST(AgreementWithLibibmad, IsThereInEachFieldOfCongestionControl)
{
    libibmad_ledger with;
    compare_congestion(with);
}

TEST(AgreementWithLibibmad, LeavesOutNoFieldWithoutAReason)
{
    libibmad_ledger with;
    compare_headers(with);
    compare_subnet_management(with);
    compare_notices(with);
    compare_performance(with);
    compare_subnet_administration(with);
    compare_congestion(with);
    std::size_t places_without_a_field = 0;
    for (int field = IB_NO_FIELD + 1; field != IB_FIELD_LAST_; ++field) {
        // The ends of groups, and IB_SM_DATA_F, which libibmad's table forgets.
        auto const* const name = mad_field_name(static_cast<MAD_FIELDS>(field));
        if ((name == nullptr || *name == '\0') && extent_in_libibmad(field).width == 0) {
            EXPECT_FALSE(with.knows(field));
            ++places_without_a_field;
            continue;
        }
        EXPECT_TRUE(with.knows(field)) << name_in_libibmad(field) << ' ' << extent_in_libibmad(field);
    }
    EXPECT_EQ(with.size() + places_without_a_field, static_cast<std::size_t>(IB_FIELD_LAST_ - IB_NO_FIELD - 1));
}

TEST(AgreementWithLibibmad, IsThereInTheOffsetsOfData)
{
    auto const offset = [](int field) { return extent_in_libibmad(field).offset / 8; };
    EXPECT_EQ(offset(IB_SA_DATA_F), class_data_offset(management_class::subnet_administration));
    EXPECT_EQ(offset(IB_GS_DATA_F), class_data_offset(management_class::performance));
    EXPECT_EQ(offset(IB_VEND2_DATA_F), class_data_offset(management_class::vendor_oui_first));
    EXPECT_EQ(std::size_t{IB_CC_LOG_DATA_OFFS},
        attribute_data_offset(management_class::congestion, attribute_id::congestion_log));
    EXPECT_EQ(std::size_t{IB_CC_DATA_OFFS}, class_data_offset(management_class::congestion));
    EXPECT_EQ(std::size_t{IB_BM_DATA_OFFS}, class_data_offset(management_class::baseboard));
    EXPECT_EQ(std::size_t{IB_VENDOR_RANGE1_DATA_OFFS}, class_data_offset(management_class::vendor_first));
}

TEST(AgreementWithLibibmad, IsThereInTheHalvesOfGids)
{
    gid const value{0xfe80123456789abc, guid{0x0002c90300112233}};
    std::vector<std::byte> bytes(512);
    std::transform(
        value.bytes().begin(), value.bytes().end(), bytes.begin(), [](std::uint8_t b) { return std::byte{b}; });
    auto const read = [&](int field) {
        std::uint64_t half = 0;
        std::memcpy(&half, read_by_libibmad(bytes, field).data(), sizeof half);
        return half;
    };
    EXPECT_EQ(read(IB_GID_PREFIX_F), value.subnet_prefix());
    EXPECT_EQ(read(IB_GID_GUID_F), value.interface_id().value());
}

TEST(AgreementWithLibibmad, IsThereInThePlaceOfMultiPathRecordsGids)
{
    std::vector<std::byte> bytes(512);
    gid const value{0xfe80123456789abc, guid{0x0002c90300112233}};
    ASSERT_TRUE(put_multi_path_gid(bytes, 0, value));
    EXPECT_EQ(std::memcmp(read_by_libibmad(bytes, IB_SA_MP_GID0_F).data(), value.bytes().data(), 16), 0);
}

#else

TEST(AgreementWithLibibmad, NeedsLibibmad)
{
    GTEST_SKIP() << "libibmad and its header infiniband/mad.h were not found (Debian: libibmad-dev)";
}

#endif

} // namespace
} // namespace madrigal::test
