// The bits of ClassPortInfo's capability masks, which each class defines for itself (IBA 13.4.8.1, 15.2.5.1, 16.1.3.1).
#pragma once

#include <madrigal/wire/attributes/class_port_info.hpp>
#include <madrigal/wire/flags.hpp>
#include <madrigal/wire/management_class.hpp>
#include <madrigal/wire/performance.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace madrigal {

/// A bit of ClassPortInfo.CapabilityMask of subnet administration (IBA 15.2.5.1).
enum class sa_capability : std::uint16_t {
    trap = 1U << 0,
    get_set_notice = 1U << 1,
    capability_mask2 = 1U << 2,
    optional_records = 1U << 8,
    multicast = 1U << 9,
    multi_path = 1U << 10,
    reinit = 1U << 11,
    gid_scoped_multi_path = 1U << 12,
    port_info_capability_match = 1U << 13,
    link_speed_width_pairs_records = 1U << 14,
    pa_services = 1U << 15,
};

/// A bit of ClassPortInfo.CapabilityMask2 of subnet administration.
enum class sa_capability2 : std::uint32_t {
    unpath_repath = 1U << 0,
    qos = 1U << 1,
    reverse_path_p_key_member_bit = 1U << 2,
    multicast_fdb_top = 1U << 3,
    hierarchy_info = 1U << 4,
    additional_guid = 1U << 5,
    full_port_info_record = 1U << 6,
    extended_speeds = 1U << 7,
    multicast_service_record = 1U << 8,
    cable_info_record = 1U << 9,
    port_info_capability2_match = 1U << 10,
    port_info_extended_record = 1U << 11,
};

/// `IsUDMulticastSupported` …; a hexadecimal number for a bit without a name.
[[nodiscard]] std::string to_string(sa_capability value);
/// `IsQoSSupported` …; a hexadecimal number for a bit without a name.
[[nodiscard]] std::string to_string(sa_capability2 value);

/// The names of all bits that are set in both masks, CapabilityMask first, as the class defines them; hexadecimal
/// numbers for those without a name.
[[nodiscard]] std::vector<std::string> capability_names(management_class class_of_mad, class_port_info const& info);

} // namespace madrigal
