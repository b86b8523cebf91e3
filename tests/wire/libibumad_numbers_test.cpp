// Numbers of attributes, capabilities and components beside those of libibumad's headers.
#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/attribute_id.hpp>
#include <madrigal/wire/class_capability.hpp>
#include <madrigal/wire/component_mask.hpp>

#include <gtest/gtest.h>

#if __has_include(<infiniband/umad_sa_mcm.h>)
#include <infiniband/umad_cm.h>
#include <infiniband/umad_sa.h>
#include <infiniband/umad_sa_mcm.h>
#include <infiniband/umad_sm.h>
#define MADRIGAL_HAS_UMAD_SA 1
#endif

namespace madrigal {
namespace {

#ifdef MADRIGAL_HAS_UMAD_SA

template <class A, class B>
void expect_same(A ours, B theirs)
{
    EXPECT_EQ(static_cast<std::uint64_t>(ours), static_cast<std::uint64_t>(theirs));
}

TEST(NumbersBesideLibibumad, AttributesOfSubnetManagement)
{
    expect_same(attribute_id::sl_to_vl_mapping_table, UMAD_SM_ATTR_SLVL_TABLE);
    expect_same(attribute_id::vl_arbitration_table, UMAD_SM_ATTR_VL_ARB_TABLE);
    expect_same(attribute_id::random_forwarding_table, UMAD_SM_ATTR_RANDOM_FT);
    expect_same(attribute_id::multicast_forwarding_table, UMAD_SM_ATTR_MCAST_FT);
    expect_same(attribute_id::link_speed_width_pairs_table, UMAD_SM_ATTR_LINK_SPD_WIDTH_TABLE);
    expect_same(attribute_id::vendor_diag, UMAD_SM_ATTR_VENDOR_DIAG);
    expect_same(attribute_id::led_info, UMAD_SM_ATTR_LED_INFO);
    expect_same(attribute_id::port_info_extended, UMAD_SM_ATTR_PORT_INFO_EXT);
}

TEST(NumbersBesideLibibumad, AttributesOfSubnetAdministration)
{
    expect_same(attribute_id::node_record, UMAD_SA_ATTR_NODE_REC);
    expect_same(attribute_id::port_info_record, UMAD_SA_ATTR_PORT_INFO_REC);
    expect_same(attribute_id::sl_to_vl_mapping_table_record, UMAD_SA_ATTR_SLVL_REC);
    expect_same(attribute_id::switch_info_record, UMAD_SA_ATTR_SWITCH_INFO_REC);
    expect_same(attribute_id::linear_forwarding_table_record, UMAD_SA_ATTR_LINEAR_FT_REC);
    expect_same(attribute_id::random_forwarding_table_record, UMAD_SA_ATTR_RANDOM_FT_REC);
    expect_same(attribute_id::multicast_forwarding_table_record, UMAD_SA_ATTR_MCAST_FT_REC);
    expect_same(attribute_id::sm_info_record, UMAD_SA_ATTR_SM_INFO_REC);
    expect_same(attribute_id::inform_info_record, UMAD_SA_ATTR_INFORM_INFO_REC);
    expect_same(attribute_id::link_record, UMAD_SA_ATTR_LINK_REC);
    expect_same(attribute_id::guid_info_record, UMAD_SA_ATTR_GUID_INFO_REC);
    expect_same(attribute_id::service_record, UMAD_SA_ATTR_SERVICE_REC);
    expect_same(attribute_id::p_key_table_record, UMAD_SA_ATTR_PKEY_TABLE_REC);
    expect_same(attribute_id::path_record, UMAD_SA_ATTR_PATH_REC);
    expect_same(attribute_id::vl_arbitration_table_record, UMAD_SA_ATTR_VL_ARB_REC);
    expect_same(attribute_id::mc_member_record, UMAD_SA_ATTR_MCMEMBER_REC);
    expect_same(attribute_id::trace_record, UMAD_SA_ATTR_TRACE_REC);
    expect_same(attribute_id::multi_path_record, UMAD_SA_ATTR_MULTI_PATH_REC);
    expect_same(attribute_id::service_association_record, UMAD_SA_ATTR_SERVICE_ASSOC_REC);
    expect_same(attribute_id::port_info_extended_record, UMAD_SA_ATTR_PORT_INFO_EXT_REC);
}

TEST(NumbersBesideLibibumad, AttributesOfCommunicationManagement)
{
    expect_same(attribute_id::cm_req, UMAD_CM_ATTR_REQ);
    expect_same(attribute_id::cm_mra, UMAD_CM_ATTR_MRA);
    expect_same(attribute_id::cm_rej, UMAD_CM_ATTR_REJ);
    expect_same(attribute_id::cm_rep, UMAD_CM_ATTR_REP);
    expect_same(attribute_id::cm_rtu, UMAD_CM_ATTR_RTU);
    expect_same(attribute_id::cm_dreq, UMAD_CM_ATTR_DREQ);
    expect_same(attribute_id::cm_drep, UMAD_CM_ATTR_DREP);
    expect_same(attribute_id::cm_sidr_req, UMAD_CM_ATTR_SIDR_REQ);
    expect_same(attribute_id::cm_sidr_rep, UMAD_CM_ATTR_SIDR_REP);
    expect_same(attribute_id::cm_lap, UMAD_CM_ATTR_LAP);
    expect_same(attribute_id::cm_apr, UMAD_CM_ATTR_APR);
}

TEST(NumbersBesideLibibumad, CapabilitiesOfSubnetAdministration)
{
    expect_same(sa_capability::optional_records, UMAD_SA_CAP_MASK_IS_SUBNET_OPT_REC_SUP);
    expect_same(sa_capability::multicast, UMAD_SA_CAP_MASK_IS_UD_MCAST_SUP);
    expect_same(sa_capability::multi_path, UMAD_SA_CAP_MASK_IS_MULTIPATH_SUP);
    expect_same(sa_capability::reinit, UMAD_SA_CAP_MASK_IS_REINIT_SUP);
    expect_same(sa_capability::gid_scoped_multi_path, UMAD_SA_CAP_MASK_IS_GID_SCOPED_MULTIPATH_SUP);
    expect_same(sa_capability::port_info_capability_match, UMAD_SA_CAP_MASK_IS_PORTINFO_CAP_MASK_MATCH_SUP);
    expect_same(sa_capability::link_speed_width_pairs_records, UMAD_SA_CAP_MASK_IS_LINK_SPEED_WIDTH_PAIRS_REC_SUP);
    expect_same(sa_capability::pa_services, UMAD_SA_CAP_MASK_IS_PA_SERVICES_SUP);
    expect_same(sa_capability2::unpath_repath, UMAD_SA_CAP_MASK2_IS_UNPATH_REPATH_SUP);
    expect_same(sa_capability2::qos, UMAD_SA_CAP_MASK2_IS_QOS_SUP);
    expect_same(sa_capability2::reverse_path_p_key_member_bit, UMAD_SA_CAP_MASK2_IS_REV_PATH_PKEY_MEM_BIT_SUP);
    expect_same(sa_capability2::multicast_fdb_top, UMAD_SA_CAP_MASK2_IS_MCAST_TOP_SUP);
    expect_same(sa_capability2::hierarchy_info, UMAD_SA_CAP_MASK2_IS_HIERARCHY_INFO_SUP);
    expect_same(sa_capability2::additional_guid, UMAD_SA_CAP_MASK2_IS_ADDITIONAL_GUID_SUP);
    expect_same(sa_capability2::full_port_info_record, UMAD_SA_CAP_MASK2_IS_FULL_PORTINFO_REC_SUP);
    expect_same(sa_capability2::extended_speeds, UMAD_SA_CAP_MASK2_IS_EXT_SPEEDS_SUP);
    expect_same(sa_capability2::multicast_service_record, UMAD_SA_CAP_MASK2_IS_MCAST_SERVICE_REC_SUP);
    expect_same(sa_capability2::cable_info_record, UMAD_SA_CAP_MASK2_IS_CABLE_INFO_REC_SUP);
    expect_same(sa_capability2::port_info_capability2_match, UMAD_SA_CAP_MASK2_IS_PORT_INFO_CAPMASK2_MATCH_SUP);
    expect_same(sa_capability2::port_info_extended_record, UMAD_SA_CAP_MASK2_IS_PORT_INFO_EXT_REC_SUP);
}

TEST(NumbersBesideLibibumad, ComponentsAndNumbersOfMulticastGroups)
{
    expect_same(components<&mc_member_record::mgid>.value(), UMAD_SA_MCM_COMP_MASK_MGID);
    expect_same(components<&mc_member_record::mlid>.value(), UMAD_SA_MCM_COMP_MASK_MLID);
    expect_same(components<&mc_member_record::flow_label>.value(), UMAD_SA_MCM_COMP_MASK_FLOW_LABEL);
    expect_same(components<&mc_member_record::join_states>.value(), UMAD_SA_MCM_COMP_MASK_JOIN_STATE);
    expect_same(components<&mc_member_record::proxy_join>.value(), UMAD_SA_MCM_COMP_MASK_PROXY_JOIN);
    expect_same(join_state::full_member, UMAD_SA_MCM_JOIN_STATE_FULL_MEMBER);
    expect_same(join_state::non_member, UMAD_SA_MCM_JOIN_STATE_NON_MEMBER);
    expect_same(join_state::send_only_non_member, UMAD_SA_MCM_JOIN_STATE_SEND_ONLY_NON_MEMBER);
    expect_same(join_state::send_only_full_member, UMAD_SA_MCM_JOIN_STATE_SEND_ONLY_FULL_MEMBER);
    expect_same(multicast_scope::link_local, UMAD_SA_MCM_ADDR_SCOPE_LINK_LOCAL);
    expect_same(multicast_scope::organization_local, UMAD_SA_MCM_ADDR_SCOPE_ORG_LOCAL);
    expect_same(multicast_scope::global, UMAD_SA_MCM_ADDR_SCOPE_GLOBAL);
    expect_same(selector::greater, UMAD_SA_SELECTOR_GREATER_THAN);
    expect_same(selector::less, UMAD_SA_SELECTOR_LESS_THAN);
    expect_same(selector::exactly, UMAD_SA_SELECTOR_EXACTLY);
    expect_same(selector::best, UMAD_SA_SELECTOR_LARGEST_AVAIL);
}

#else

TEST(NumbersBesideLibibumad, NeedItsHeaders)
{
    GTEST_SKIP() << "infiniband/umad_sa_mcm.h was not found (Debian: libibumad-dev)";
}

#endif

} // namespace
} // namespace madrigal
