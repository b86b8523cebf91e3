#include <madrigal/wire/port_capability.hpp>

namespace madrigal {

std::string to_string(port_capability value)
{
    switch (value) {
    case port_capability::is_sm: return "IsSM";
    case port_capability::notice: return "IsNoticeSupported";
    case port_capability::trap: return "IsTrapSupported";
    case port_capability::optional_ipd: return "IsOptionalIPDSupported";
    case port_capability::automatic_migration: return "IsAutomaticMigrationSupported";
    case port_capability::sl_mapping: return "IsSLMappingSupported";
    case port_capability::m_key_nvram: return "IsMKeyNVRAM";
    case port_capability::p_key_nvram: return "IsPKeyNVRAM";
    case port_capability::led_info: return "IsLEDInfoSupported";
    case port_capability::sm_disabled: return "IsSMDisabled";
    case port_capability::system_image_guid: return "IsSystemImageGUIDSupported";
    case port_capability::p_key_switch_external_port_trap: return "IsPKeySwitchExternalPortTrapSupported";
    case port_capability::extended_speeds: return "IsExtendedSpeedsSupported";
    case port_capability::capability_mask2: return "IsCapabilityMask2Supported";
    case port_capability::communication_management: return "IsCommunicationManagementSupported";
    case port_capability::snmp_tunneling: return "IsSNMPTunnelingSupported";
    case port_capability::reinit: return "IsReinitSupported";
    case port_capability::device_management: return "IsDeviceManagementSupported";
    case port_capability::vendor_class: return "IsVendorClassSupported";
    case port_capability::dr_notice: return "IsDRNoticeSupported";
    case port_capability::capability_mask_notice: return "IsCapabilityMaskNoticeSupported";
    case port_capability::boot_management: return "IsBootManagementSupported";
    case port_capability::link_round_trip_latency: return "IsLinkRoundTripLatencySupported";
    case port_capability::client_reregistration: return "IsClientReregistrationSupported";
    case port_capability::other_local_changes_notice: return "IsOtherLocalChangesNoticeSupported";
    case port_capability::link_speed_width_pairs_table: return "IsLinkSpeedWidthPairsTableSupported";
    case port_capability::vendor_specific_mads_table: return "IsVendorSpecificMADsTableSupported";
    case port_capability::multicast_p_key_trap_suppression: return "IsMulticastPKeyTrapSuppressionSupported";
    case port_capability::multicast_fdb_top: return "IsMulticastFDBTopSupported";
    case port_capability::hierarchy_info: return "IsHierarchyInfoSupported";
    }
    return hexadecimal(static_cast<std::uint32_t>(value), 8);
}

std::string to_string(port_capability2 value)
{
    switch (value) {
    case port_capability2::set_node_description: return "IsSetNodeDescriptionSupported";
    case port_capability2::port_info_extended: return "IsPortInfoExtendedSupported";
    case port_capability2::virtualization: return "IsVirtualizationSupported";
    case port_capability2::switch_port_state_table: return "IsSwitchPortStateTableSupported";
    case port_capability2::link_width_2x: return "IsLinkWidth2xSupported";
    case port_capability2::link_speed_hdr: return "IsLinkSpeedHDRSupported";
    case port_capability2::m_key_protect_bits_extended: return "IsMKeyProtectBitsExtSupported";
    case port_capability2::enhanced_trap_128: return "IsEnhancedTrap128Supported";
    case port_capability2::partition_top: return "IsPartitionTopSupported";
    case port_capability2::enhanced_qos_arbiter: return "IsEnhancedQoSArbiterSupported";
    case port_capability2::link_speed_ndr: return "IsLinkSpeedNDRSupported";
    case port_capability2::extended_speeds2: return "IsExtendedSpeeds2Supported";
    case port_capability2::link_speed_xdr: return "IsLinkSpeedXDRSupported";
    }
    return hexadecimal(static_cast<std::uint16_t>(value), 4);
}

} // namespace madrigal
