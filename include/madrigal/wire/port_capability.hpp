// The bits of PortInfo's CapabilityMask and CapabilityMask2 (IBA 14.2.5.6).
#pragma once

#include <madrigal/wire/flags.hpp>

#include <cstdint>
#include <string>

namespace madrigal {

/// A bit of PortInfo.CapabilityMask.
enum class port_capability : std::uint32_t {
    is_sm = 1U << 1,
    notice = 1U << 2,
    trap = 1U << 3,
    optional_ipd = 1U << 4,
    automatic_migration = 1U << 5,
    sl_mapping = 1U << 6,
    m_key_nvram = 1U << 7,
    p_key_nvram = 1U << 8,
    led_info = 1U << 9,
    sm_disabled = 1U << 10,
    system_image_guid = 1U << 11,
    p_key_switch_external_port_trap = 1U << 12,
    extended_speeds = 1U << 14,
    capability_mask2 = 1U << 15,
    communication_management = 1U << 16,
    snmp_tunneling = 1U << 17,
    reinit = 1U << 18,
    device_management = 1U << 19,
    vendor_class = 1U << 20,
    dr_notice = 1U << 21,
    capability_mask_notice = 1U << 22,
    boot_management = 1U << 23,
    link_round_trip_latency = 1U << 24,
    client_reregistration = 1U << 25,
    other_local_changes_notice = 1U << 26,
    link_speed_width_pairs_table = 1U << 27,
    vendor_specific_mads_table = 1U << 28,
    multicast_p_key_trap_suppression = 1U << 29,
    multicast_fdb_top = 1U << 30,
    hierarchy_info = 1U << 31,
};

/// A bit of PortInfo.CapabilityMask2, which is valid where CapabilityMask has `capability_mask2`.
enum class port_capability2 : std::uint16_t {
    set_node_description = 1U << 0,
    port_info_extended = 1U << 1,
    virtualization = 1U << 2,
    switch_port_state_table = 1U << 3,
    link_width_2x = 1U << 4,
    link_speed_hdr = 1U << 5,
    m_key_protect_bits_extended = 1U << 6,
    enhanced_trap_128 = 1U << 7,
    partition_top = 1U << 8,
    enhanced_qos_arbiter = 1U << 9,
    link_speed_ndr = 1U << 10,
    extended_speeds2 = 1U << 11,
    link_speed_xdr = 1U << 12,
};

using port_capabilities = flags<port_capability>;
using port_capabilities2 = flags<port_capability2>;

/// `IsSM`, `IsTrapSupported` …; a hexadecimal number for a bit without a name.
[[nodiscard]] std::string to_string(port_capability value);
/// `IsPortInfoExtendedSupported` …; a hexadecimal number for a bit without a name.
[[nodiscard]] std::string to_string(port_capability2 value);

} // namespace madrigal
