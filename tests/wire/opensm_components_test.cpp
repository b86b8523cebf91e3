// The components of each record, one by one, beside those of OpenSM's header: another reading of the order in the IBA's
// tables.
#include <gtest/gtest.h>

#if MADRIGAL_HAS_OPENSM_HEADER
#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/record_query.hpp>

#include <iba/ib_types.h>
#endif

namespace madrigal {
namespace {

#if MADRIGAL_HAS_OPENSM_HEADER

/// OpenSM's masks are in network byte order.
std::uint64_t host(std::uint64_t opensm)
{
    return cl_ntoh64(opensm);
}

template <auto... Members>
void expect_component(std::uint64_t opensm, char const* name)
{
    EXPECT_EQ(components<Members...>.value(), host(opensm)) << name;
}

template <auto... Members>
void expect_element(std::size_t element, std::uint64_t opensm)
{
    EXPECT_EQ(detail::component_bits_of<Members...>(element), host(opensm)) << "element " << element;
}

TEST(ComponentsBesideOpenSm, PathRecord)
{
    expect_component<&path_record::service_id>(IB_PR_COMPMASK_SERVICEID, "SERVICEID");
    expect_component<&path_record::dgid>(IB_PR_COMPMASK_DGID, "DGID");
    expect_component<&path_record::sgid>(IB_PR_COMPMASK_SGID, "SGID");
    expect_component<&path_record::dlid>(IB_PR_COMPMASK_DLID, "DLID");
    expect_component<&path_record::slid>(IB_PR_COMPMASK_SLID, "SLID");
    expect_component<&path_record::raw_traffic>(IB_PR_COMPMASK_RAWTRAFFIC, "RAWTRAFFIC");
    expect_component<&path_record::flow_label>(IB_PR_COMPMASK_FLOWLABEL, "FLOWLABEL");
    expect_component<&path_record::hop_limit>(IB_PR_COMPMASK_HOPLIMIT, "HOPLIMIT");
    expect_component<&path_record::traffic_class>(IB_PR_COMPMASK_TCLASS, "TCLASS");
    expect_component<&path_record::reversible>(IB_PR_COMPMASK_REVERSIBLE, "REVERSIBLE");
    expect_component<&path_record::numb_path>(IB_PR_COMPMASK_NUMBPATH, "NUMBPATH");
    expect_component<&path_record::p_key>(IB_PR_COMPMASK_PKEY, "PKEY");
    expect_component<&path_record::qos_class>(IB_PR_COMPMASK_QOS_CLASS, "QOS_CLASS");
    expect_component<&path_record::service_level>(IB_PR_COMPMASK_SL, "SL");
    expect_component<&path_record::mtu_selector>(IB_PR_COMPMASK_MTUSELEC, "MTUSELEC");
    expect_component<&path_record::path_mtu>(IB_PR_COMPMASK_MTU, "MTU");
    expect_component<&path_record::rate_selector>(IB_PR_COMPMASK_RATESELEC, "RATESELEC");
    expect_component<&path_record::rate>(IB_PR_COMPMASK_RATE, "RATE");
    expect_component<&path_record::packet_life_time_selector>(IB_PR_COMPMASK_PKTLIFETIMESELEC, "PKTLIFETIMESELEC");
    expect_component<&path_record::packet_life_time>(IB_PR_COMPMASK_PKTLIFETIME, "PKTLIFETIME");
}

TEST(ComponentsBesideOpenSm, LinkRecord)
{
    expect_component<&link_record::from_lid>(IB_LR_COMPMASK_FROM_LID, "FROM_LID");
    expect_component<&link_record::from_port>(IB_LR_COMPMASK_FROM_PORT, "FROM_PORT");
    expect_component<&link_record::to_port>(IB_LR_COMPMASK_TO_PORT, "TO_PORT");
    expect_component<&link_record::to_lid>(IB_LR_COMPMASK_TO_LID, "TO_LID");
}

TEST(ComponentsBesideOpenSm, VlArbitrationTableRecord)
{
    expect_component<&vl_arbitration_table_record::base_lid>(IB_VLA_COMPMASK_LID, "LID");
    expect_component<&vl_arbitration_table_record::output_port_num>(IB_VLA_COMPMASK_OUT_PORT, "OUT_PORT");
    expect_component<&vl_arbitration_table_record::block_num>(IB_VLA_COMPMASK_BLOCK, "BLOCK");
}

TEST(ComponentsBesideOpenSm, SlToVlMappingTableRecord)
{
    expect_component<&sl_to_vl_mapping_table_record::base_lid>(IB_SLVL_COMPMASK_LID, "LID");
    expect_component<&sl_to_vl_mapping_table_record::input_port_num>(IB_SLVL_COMPMASK_IN_PORT, "IN_PORT");
    expect_component<&sl_to_vl_mapping_table_record::output_port_num>(IB_SLVL_COMPMASK_OUT_PORT, "OUT_PORT");
}

TEST(ComponentsBesideOpenSm, PKeyTableRecord)
{
    expect_component<&p_key_table_record::base_lid>(IB_PKEY_COMPMASK_LID, "LID");
    expect_component<&p_key_table_record::block_num>(IB_PKEY_COMPMASK_BLOCK, "BLOCK");
    expect_component<&p_key_table_record::port_num>(IB_PKEY_COMPMASK_PORT, "PORT");
}

TEST(ComponentsBesideOpenSm, SwitchInfoRecord)
{
    expect_component<&switch_info_record::base_lid>(IB_SWIR_COMPMASK_LID, "LID");
}

TEST(ComponentsBesideOpenSm, LinearForwardingTableRecord)
{
    expect_component<&linear_forwarding_table_record::base_lid>(IB_LFTR_COMPMASK_LID, "LID");
    expect_component<&linear_forwarding_table_record::block_num>(IB_LFTR_COMPMASK_BLOCK, "BLOCK");
}

TEST(ComponentsBesideOpenSm, MulticastForwardingTableRecord)
{
    expect_component<&multicast_forwarding_table_record::base_lid>(IB_MFTR_COMPMASK_LID, "LID");
    expect_component<&multicast_forwarding_table_record::position>(IB_MFTR_COMPMASK_POSITION, "POSITION");
    expect_component<&multicast_forwarding_table_record::block_num>(IB_MFTR_COMPMASK_BLOCK, "BLOCK");
}

TEST(ComponentsBesideOpenSm, NodeRecord)
{
    expect_component<&node_record::base_lid>(IB_NR_COMPMASK_LID, "LID");
    expect_component<&node_record::info, &node_info::base_version>(IB_NR_COMPMASK_BASEVERSION, "BASEVERSION");
    expect_component<&node_record::info, &node_info::class_version>(IB_NR_COMPMASK_CLASSVERSION, "CLASSVERSION");
    expect_component<&node_record::info, &node_info::type>(IB_NR_COMPMASK_NODETYPE, "NODETYPE");
    expect_component<&node_record::info, &node_info::num_ports>(IB_NR_COMPMASK_NUMPORTS, "NUMPORTS");
    expect_component<&node_record::info, &node_info::system_image_guid>(IB_NR_COMPMASK_SYSIMAGEGUID, "SYSIMAGEGUID");
    expect_component<&node_record::info, &node_info::node_guid>(IB_NR_COMPMASK_NODEGUID, "NODEGUID");
    expect_component<&node_record::info, &node_info::port_guid>(IB_NR_COMPMASK_PORTGUID, "PORTGUID");
    expect_component<&node_record::info, &node_info::partition_cap>(IB_NR_COMPMASK_PARTCAP, "PARTCAP");
    expect_component<&node_record::info, &node_info::device_id>(IB_NR_COMPMASK_DEVID, "DEVID");
    expect_component<&node_record::info, &node_info::revision>(IB_NR_COMPMASK_REV, "REV");
    expect_component<&node_record::info, &node_info::local_port_num>(IB_NR_COMPMASK_PORTNUM, "PORTNUM");
    expect_component<&node_record::info, &node_info::vendor_id>(IB_NR_COMPMASK_VENDID, "VENDID");
    expect_component<&node_record::description, &node_description::description>(IB_NR_COMPMASK_NODEDESC, "NODEDESC");
}

TEST(ComponentsBesideOpenSm, ServiceRecord)
{
    expect_component<&service_record::service_id>(IB_SR_COMPMASK_SID, "SID");
    expect_component<&service_record::service_gid>(IB_SR_COMPMASK_SGID, "SGID");
    expect_component<&service_record::service_p_key>(IB_SR_COMPMASK_SPKEY, "SPKEY");
    expect_component<&service_record::service_lease>(IB_SR_COMPMASK_SLEASE, "SLEASE");
    expect_component<&service_record::service_key>(IB_SR_COMPMASK_SKEY, "SKEY");
    expect_component<&service_record::service_name>(IB_SR_COMPMASK_SNAME, "SNAME");
    expect_element<&service_record::data8>(0, IB_SR_COMPMASK_SDATA8_0);
    expect_element<&service_record::data8>(1, IB_SR_COMPMASK_SDATA8_1);
    expect_element<&service_record::data8>(2, IB_SR_COMPMASK_SDATA8_2);
    expect_element<&service_record::data8>(3, IB_SR_COMPMASK_SDATA8_3);
    expect_element<&service_record::data8>(4, IB_SR_COMPMASK_SDATA8_4);
    expect_element<&service_record::data8>(5, IB_SR_COMPMASK_SDATA8_5);
    expect_element<&service_record::data8>(6, IB_SR_COMPMASK_SDATA8_6);
    expect_element<&service_record::data8>(7, IB_SR_COMPMASK_SDATA8_7);
    expect_element<&service_record::data8>(8, IB_SR_COMPMASK_SDATA8_8);
    expect_element<&service_record::data8>(9, IB_SR_COMPMASK_SDATA8_9);
    expect_element<&service_record::data8>(10, IB_SR_COMPMASK_SDATA8_10);
    expect_element<&service_record::data8>(11, IB_SR_COMPMASK_SDATA8_11);
    expect_element<&service_record::data8>(12, IB_SR_COMPMASK_SDATA8_12);
    expect_element<&service_record::data8>(13, IB_SR_COMPMASK_SDATA8_13);
    expect_element<&service_record::data8>(14, IB_SR_COMPMASK_SDATA8_14);
    expect_element<&service_record::data8>(15, IB_SR_COMPMASK_SDATA8_15);
    expect_element<&service_record::data16>(0, IB_SR_COMPMASK_SDATA16_0);
    expect_element<&service_record::data16>(1, IB_SR_COMPMASK_SDATA16_1);
    expect_element<&service_record::data16>(2, IB_SR_COMPMASK_SDATA16_2);
    expect_element<&service_record::data16>(3, IB_SR_COMPMASK_SDATA16_3);
    expect_element<&service_record::data16>(4, IB_SR_COMPMASK_SDATA16_4);
    expect_element<&service_record::data16>(5, IB_SR_COMPMASK_SDATA16_5);
    expect_element<&service_record::data16>(6, IB_SR_COMPMASK_SDATA16_6);
    expect_element<&service_record::data16>(7, IB_SR_COMPMASK_SDATA16_7);
    expect_element<&service_record::data32>(0, IB_SR_COMPMASK_SDATA32_0);
    expect_element<&service_record::data32>(1, IB_SR_COMPMASK_SDATA32_1);
    expect_element<&service_record::data32>(2, IB_SR_COMPMASK_SDATA32_2);
    expect_element<&service_record::data32>(3, IB_SR_COMPMASK_SDATA32_3);
    expect_element<&service_record::data64>(0, IB_SR_COMPMASK_SDATA64_0);
    expect_element<&service_record::data64>(1, IB_SR_COMPMASK_SDATA64_1);
}

TEST(ComponentsBesideOpenSm, PortInfoRecord)
{
    expect_component<&port_info_record::endport_lid>(IB_PIR_COMPMASK_LID, "LID");
    expect_component<&port_info_record::port_num>(IB_PIR_COMPMASK_PORTNUM, "PORTNUM");
    expect_component<&port_info_record::options>(IB_PIR_COMPMASK_OPTIONS, "OPTIONS");
    expect_component<&port_info_record::info, &port_info::m_key>(IB_PIR_COMPMASK_MKEY, "MKEY");
    expect_component<&port_info_record::info, &port_info::gid_prefix>(IB_PIR_COMPMASK_GIDPRE, "GIDPRE");
    expect_component<&port_info_record::info, &port_info::base_lid>(IB_PIR_COMPMASK_BASELID, "BASELID");
    expect_component<&port_info_record::info, &port_info::master_sm_lid>(IB_PIR_COMPMASK_SMLID, "SMLID");
    expect_component<&port_info_record::info, &port_info::capability_mask>(IB_PIR_COMPMASK_CAPMASK, "CAPMASK");
    expect_component<&port_info_record::info, &port_info::diag_code>(IB_PIR_COMPMASK_DIAGCODE, "DIAGCODE");
    expect_component<&port_info_record::info, &port_info::m_key_lease_period>(
        IB_PIR_COMPMASK_MKEYLEASEPRD, "MKEYLEASEPRD");
    expect_component<&port_info_record::info, &port_info::local_port_num>(IB_PIR_COMPMASK_LOCALPORTNUM, "LOCALPORTNUM");
    expect_component<&port_info_record::info, &port_info::link_width_enabled>(
        IB_PIR_COMPMASK_LINKWIDTHENABLED, "LINKWIDTHENABLED");
    expect_component<&port_info_record::info, &port_info::link_width_supported>(
        IB_PIR_COMPMASK_LNKWIDTHSUPPORT, "LNKWIDTHSUPPORT");
    expect_component<&port_info_record::info, &port_info::link_width_active>(
        IB_PIR_COMPMASK_LNKWIDTHACTIVE, "LNKWIDTHACTIVE");
    expect_component<&port_info_record::info, &port_info::link_speed_supported>(
        IB_PIR_COMPMASK_LNKSPEEDSUPPORT, "LNKSPEEDSUPPORT");
    expect_component<&port_info_record::info, &port_info::state>(IB_PIR_COMPMASK_PORTSTATE, "PORTSTATE");
    expect_component<&port_info_record::info, &port_info::phys_state>(IB_PIR_COMPMASK_PORTPHYSTATE, "PORTPHYSTATE");
    expect_component<&port_info_record::info, &port_info::link_down_default>(
        IB_PIR_COMPMASK_LINKDWNDFLTSTATE, "LINKDWNDFLTSTATE");
    expect_component<&port_info_record::info, &port_info::m_key_protect_bits>(
        IB_PIR_COMPMASK_MKEYPROTBITS, "MKEYPROTBITS");
    expect_component<&port_info_record::info, &port_info::lmc>(IB_PIR_COMPMASK_LMC, "LMC");
    expect_component<&port_info_record::info, &port_info::link_speed_active>(
        IB_PIR_COMPMASK_LINKSPEEDACTIVE, "LINKSPEEDACTIVE");
    expect_component<&port_info_record::info, &port_info::link_speed_enabled>(
        IB_PIR_COMPMASK_LINKSPEEDENABLE, "LINKSPEEDENABLE");
    expect_component<&port_info_record::info, &port_info::neighbor_mtu>(IB_PIR_COMPMASK_NEIGHBORMTU, "NEIGHBORMTU");
    expect_component<&port_info_record::info, &port_info::master_sm_sl>(IB_PIR_COMPMASK_MASTERSMSL, "MASTERSMSL");
    expect_component<&port_info_record::info, &port_info::vl_cap>(IB_PIR_COMPMASK_VLCAP, "VLCAP");
    expect_component<&port_info_record::info, &port_info::init_type>(IB_PIR_COMPMASK_INITTYPE, "INITTYPE");
    expect_component<&port_info_record::info, &port_info::vl_high_limit>(IB_PIR_COMPMASK_VLHIGHLIMIT, "VLHIGHLIMIT");
    expect_component<&port_info_record::info, &port_info::vl_arbitration_high_cap>(
        IB_PIR_COMPMASK_VLARBHIGHCAP, "VLARBHIGHCAP");
    expect_component<&port_info_record::info, &port_info::vl_arbitration_low_cap>(
        IB_PIR_COMPMASK_VLARBLOWCAP, "VLARBLOWCAP");
    expect_component<&port_info_record::info, &port_info::init_type_reply>(
        IB_PIR_COMPMASK_INITTYPEREPLY, "INITTYPEREPLY");
    expect_component<&port_info_record::info, &port_info::mtu_cap>(IB_PIR_COMPMASK_MTUCAP, "MTUCAP");
    expect_component<&port_info_record::info, &port_info::vl_stall_count>(IB_PIR_COMPMASK_VLSTALLCNT, "VLSTALLCNT");
    expect_component<&port_info_record::info, &port_info::hoq_life>(IB_PIR_COMPMASK_HOQLIFE, "HOQLIFE");
    expect_component<&port_info_record::info, &port_info::operational_vls>(IB_PIR_COMPMASK_OPVLS, "OPVLS");
    expect_component<&port_info_record::info, &port_info::partition_enforcement_inbound>(
        IB_PIR_COMPMASK_PARENFIN, "PARENFIN");
    expect_component<&port_info_record::info, &port_info::partition_enforcement_outbound>(
        IB_PIR_COMPMASK_PARENFOUT, "PARENFOUT");
    expect_component<&port_info_record::info, &port_info::filter_raw_inbound>(
        IB_PIR_COMPMASK_FILTERRAWIN, "FILTERRAWIN");
    expect_component<&port_info_record::info, &port_info::filter_raw_outbound>(
        IB_PIR_COMPMASK_FILTERRAWOUT, "FILTERRAWOUT");
    expect_component<&port_info_record::info, &port_info::m_key_violations>(IB_PIR_COMPMASK_MKEYVIO, "MKEYVIO");
    expect_component<&port_info_record::info, &port_info::p_key_violations>(IB_PIR_COMPMASK_PKEYVIO, "PKEYVIO");
    expect_component<&port_info_record::info, &port_info::q_key_violations>(IB_PIR_COMPMASK_QKEYVIO, "QKEYVIO");
    expect_component<&port_info_record::info, &port_info::guid_cap>(IB_PIR_COMPMASK_GUIDCAP, "GUIDCAP");
    expect_component<&port_info_record::info, &port_info::client_reregister>(
        IB_PIR_COMPMASK_CLIENTREREG, "CLIENTREREG");
    expect_component<&port_info_record::info, &port_info::multicast_p_key_trap_suppression_enabled>(
        IB_PIR_COMPMASK_RESV3, "RESV3");
    expect_component<&port_info_record::info, &port_info::subnet_timeout>(IB_PIR_COMPMASK_SUBNTO, "SUBNTO");
    expect_component<&port_info_record::info, &port_info::resp_time_value>(IB_PIR_COMPMASK_RESPTIME, "RESPTIME");
    expect_component<&port_info_record::info, &port_info::local_phy_errors>(IB_PIR_COMPMASK_LOCALPHYERR, "LOCALPHYERR");
    expect_component<&port_info_record::info, &port_info::overrun_errors>(IB_PIR_COMPMASK_OVERRUNERR, "OVERRUNERR");
    expect_component<&port_info_record::info, &port_info::max_credit_hint>(IB_PIR_COMPMASK_MAXCREDHINT, "MAXCREDHINT");
    expect_component<&port_info_record::info, &port_info::link_round_trip_latency>(
        IB_PIR_COMPMASK_LINKRTLAT, "LINKRTLAT");
    expect_component<&port_info_record::info, &port_info::capability_mask2>(IB_PIR_COMPMASK_CAPMASK2, "CAPMASK2");
    expect_component<&port_info_record::info, &port_info::link_speed_ext_active>(
        IB_PIR_COMPMASK_LINKSPDEXTACT, "LINKSPDEXTACT");
    expect_component<&port_info_record::info, &port_info::link_speed_ext_supported>(
        IB_PIR_COMPMASK_LINKSPDEXTSUPP, "LINKSPDEXTSUPP");
    expect_component<&port_info_record::info, &port_info::link_speed_ext_enabled>(
        IB_PIR_COMPMASK_LINKSPDEXTENAB, "LINKSPDEXTENAB");
}

TEST(ComponentsBesideOpenSm, McMemberRecord)
{
    expect_component<&mc_member_record::mgid>(IB_MCR_COMPMASK_MGID, "MGID");
    expect_component<&mc_member_record::port_gid>(IB_MCR_COMPMASK_PORT_GID, "PORT_GID");
    expect_component<&mc_member_record::q_key>(IB_MCR_COMPMASK_QKEY, "QKEY");
    expect_component<&mc_member_record::mlid>(IB_MCR_COMPMASK_MLID, "MLID");
    expect_component<&mc_member_record::mtu_selector>(IB_MCR_COMPMASK_MTU_SEL, "MTU_SEL");
    expect_component<&mc_member_record::group_mtu>(IB_MCR_COMPMASK_MTU, "MTU");
    expect_component<&mc_member_record::traffic_class>(IB_MCR_COMPMASK_TCLASS, "TCLASS");
    expect_component<&mc_member_record::p_key>(IB_MCR_COMPMASK_PKEY, "PKEY");
    expect_component<&mc_member_record::rate_selector>(IB_MCR_COMPMASK_RATE_SEL, "RATE_SEL");
    expect_component<&mc_member_record::rate>(IB_MCR_COMPMASK_RATE, "RATE");
    expect_component<&mc_member_record::packet_life_time_selector>(IB_MCR_COMPMASK_LIFE_SEL, "LIFE_SEL");
    expect_component<&mc_member_record::packet_life_time>(IB_MCR_COMPMASK_LIFE, "LIFE");
    expect_component<&mc_member_record::service_level>(IB_MCR_COMPMASK_SL, "SL");
    expect_component<&mc_member_record::flow_label>(IB_MCR_COMPMASK_FLOW, "FLOW");
    expect_component<&mc_member_record::hop_limit>(IB_MCR_COMPMASK_HOP, "HOP");
    expect_component<&mc_member_record::scope>(IB_MCR_COMPMASK_SCOPE, "SCOPE");
    expect_component<&mc_member_record::join_states>(IB_MCR_COMPMASK_JOIN_STATE, "JOIN_STATE");
    expect_component<&mc_member_record::proxy_join>(IB_MCR_COMPMASK_PROXY, "PROXY");
}

TEST(ComponentsBesideOpenSm, GuidInfoRecord)
{
    expect_component<&guid_info_record::base_lid>(IB_GIR_COMPMASK_LID, "LID");
    expect_component<&guid_info_record::block_num>(IB_GIR_COMPMASK_BLOCKNUM, "BLOCKNUM");
    expect_element<&guid_info_record::info, &guid_info::guids>(0, IB_GIR_COMPMASK_GID0);
    expect_element<&guid_info_record::info, &guid_info::guids>(1, IB_GIR_COMPMASK_GID1);
    expect_element<&guid_info_record::info, &guid_info::guids>(2, IB_GIR_COMPMASK_GID2);
    expect_element<&guid_info_record::info, &guid_info::guids>(3, IB_GIR_COMPMASK_GID3);
    expect_element<&guid_info_record::info, &guid_info::guids>(4, IB_GIR_COMPMASK_GID4);
    expect_element<&guid_info_record::info, &guid_info::guids>(5, IB_GIR_COMPMASK_GID5);
    expect_element<&guid_info_record::info, &guid_info::guids>(6, IB_GIR_COMPMASK_GID6);
    expect_element<&guid_info_record::info, &guid_info::guids>(7, IB_GIR_COMPMASK_GID7);
}

TEST(ComponentsBesideOpenSm, MultiPathRecord)
{
    expect_component<&multi_path_record::raw_traffic>(IB_MPR_COMPMASK_RAWTRAFFIC, "RAWTRAFFIC");
    expect_component<&multi_path_record::flow_label>(IB_MPR_COMPMASK_FLOWLABEL, "FLOWLABEL");
    expect_component<&multi_path_record::hop_limit>(IB_MPR_COMPMASK_HOPLIMIT, "HOPLIMIT");
    expect_component<&multi_path_record::traffic_class>(IB_MPR_COMPMASK_TCLASS, "TCLASS");
    expect_component<&multi_path_record::reversible>(IB_MPR_COMPMASK_REVERSIBLE, "REVERSIBLE");
    expect_component<&multi_path_record::numb_path>(IB_MPR_COMPMASK_NUMBPATH, "NUMBPATH");
    expect_component<&multi_path_record::p_key>(IB_MPR_COMPMASK_PKEY, "PKEY");
    expect_component<&multi_path_record::qos_class>(IB_MPR_COMPMASK_QOS_CLASS, "QOS_CLASS");
    expect_component<&multi_path_record::service_level>(IB_MPR_COMPMASK_SL, "SL");
    expect_component<&multi_path_record::mtu_selector>(IB_MPR_COMPMASK_MTUSELEC, "MTUSELEC");
    expect_component<&multi_path_record::path_mtu>(IB_MPR_COMPMASK_MTU, "MTU");
    expect_component<&multi_path_record::rate_selector>(IB_MPR_COMPMASK_RATESELEC, "RATESELEC");
    expect_component<&multi_path_record::rate>(IB_MPR_COMPMASK_RATE, "RATE");
    expect_component<&multi_path_record::packet_life_time_selector>(
        IB_MPR_COMPMASK_PKTLIFETIMESELEC, "PKTLIFETIMESELEC");
    expect_component<&multi_path_record::packet_life_time>(IB_MPR_COMPMASK_PKTLIFETIME, "PKTLIFETIME");
    expect_component<&multi_path_record::service_id_8msb>(IB_MPR_COMPMASK_SERVICEID_MSB, "SERVICEID_MSB");
    expect_component<&multi_path_record::independence_selector>(IB_MPR_COMPMASK_INDEPSELEC, "INDEPSELEC");
    expect_component<&multi_path_record::sgid_count>(IB_MPR_COMPMASK_SGIDCOUNT, "SGIDCOUNT");
    expect_component<&multi_path_record::dgid_count>(IB_MPR_COMPMASK_DGIDCOUNT, "DGIDCOUNT");
    expect_component<&multi_path_record::service_id_56lsb>(IB_MPR_COMPMASK_SERVICEID_LSB, "SERVICEID_LSB");
}

TEST(ComponentsBesideOpenSm, SmInfoRecord)
{
    expect_component<&sm_info_record::base_lid>(IB_SMIR_COMPMASK_LID, "LID");
    expect_component<&sm_info_record::info, &sm_info::port_guid>(IB_SMIR_COMPMASK_GUID, "GUID");
    expect_component<&sm_info_record::info, &sm_info::sm_key>(IB_SMIR_COMPMASK_SMKEY, "SMKEY");
    expect_component<&sm_info_record::info, &sm_info::activity_count>(IB_SMIR_COMPMASK_ACTCOUNT, "ACTCOUNT");
    expect_component<&sm_info_record::info, &sm_info::priority>(IB_SMIR_COMPMASK_PRIORITY, "PRIORITY");
    expect_component<&sm_info_record::info, &sm_info::state>(IB_SMIR_COMPMASK_SMSTATE, "SMSTATE");
}

TEST(ComponentsBesideOpenSm, InformInfoRecord)
{
    expect_component<&inform_info_record::subscriber_gid>(IB_IIR_COMPMASK_SUBSCRIBERGID, "SUBSCRIBERGID");
    expect_component<&inform_info_record::enumeration>(IB_IIR_COMPMASK_ENUM, "ENUM");
    expect_component<&inform_info_record::info, &inform_info::source_gid>(IB_IIR_COMPMASK_GID, "GID");
    expect_component<&inform_info_record::info, &inform_info::lid_range_begin>(
        IB_IIR_COMPMASK_LIDRANGEBEGIN, "LIDRANGEBEGIN");
    expect_component<&inform_info_record::info, &inform_info::lid_range_end>(
        IB_IIR_COMPMASK_LIDRANGEEND, "LIDRANGEEND");
    expect_component<&inform_info_record::info, &inform_info::is_generic>(IB_IIR_COMPMASK_ISGENERIC, "ISGENERIC");
    expect_component<&inform_info_record::info, &inform_info::subscribe>(IB_IIR_COMPMASK_SUBSCRIBE, "SUBSCRIBE");
    expect_component<&inform_info_record::info, &inform_info::type>(IB_IIR_COMPMASK_TYPE, "TYPE");
    expect_component<&inform_info_record::info, &inform_info::trap_number>(IB_IIR_COMPMASK_TRAPNUMB, "TRAPNUMB");
    expect_component<&inform_info_record::info, &inform_info::qpn>(IB_IIR_COMPMASK_QPN, "QPN");
    expect_component<&inform_info_record::info, &inform_info::resp_time_value>(IB_IIR_COMPMASK_RESPTIME, "RESPTIME");
    expect_component<&inform_info_record::info, &inform_info::producer_type>(IB_IIR_COMPMASK_PRODTYPE, "PRODTYPE");
}

#else

TEST(ComponentsBesideOpenSm, NeedOpenSmsHeader)
{
    GTEST_SKIP() << "OpenSM's header iba/ib_types.h was not found (Debian: libopensm-dev)";
}

#endif

} // namespace
} // namespace madrigal
