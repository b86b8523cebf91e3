// Attribute ids of the MAD header (IBA 13.4.8, 14.2.5, 15.2.5, 16.1.3).
#pragma once

#include <madrigal/wire/management_class.hpp>

#include <cstdint>
#include <string>

namespace madrigal {

/// AttributeID in host byte order. Numbers mean different things in different classes; those here are of the classes
/// that their comments name.
namespace attribute_id {
// every class
inline constexpr std::uint16_t class_port_info = 0x0001;
inline constexpr std::uint16_t notice = 0x0002;
inline constexpr std::uint16_t inform_info = 0x0003;
// subnet management
inline constexpr std::uint16_t node_description = 0x0010;
inline constexpr std::uint16_t node_info = 0x0011;
inline constexpr std::uint16_t switch_info = 0x0012;
inline constexpr std::uint16_t guid_info = 0x0014;
inline constexpr std::uint16_t port_info = 0x0015;
inline constexpr std::uint16_t p_key_table = 0x0016;
inline constexpr std::uint16_t sl_to_vl_mapping_table = 0x0017;
inline constexpr std::uint16_t vl_arbitration_table = 0x0018;
inline constexpr std::uint16_t linear_forwarding_table = 0x0019;
inline constexpr std::uint16_t random_forwarding_table = 0x001A;
inline constexpr std::uint16_t multicast_forwarding_table = 0x001B;
inline constexpr std::uint16_t sm_info = 0x0020;
inline constexpr std::uint16_t vendor_diag = 0x0030;
inline constexpr std::uint16_t led_info = 0x0031;
inline constexpr std::uint16_t port_info_extended = 0x0033;
inline constexpr std::uint16_t mlnx_ext_port_info = 0xFF90;
// performance management
inline constexpr std::uint16_t port_samples_control = 0x0010;
inline constexpr std::uint16_t port_samples_result = 0x0011;
inline constexpr std::uint16_t port_counters = 0x0012;
inline constexpr std::uint16_t port_counters_extended = 0x001D;
} // namespace attribute_id

/// The name of the attribute that has a table, `NodeInfo`; a hexadecimal number for any other.
[[nodiscard]] std::string attribute_name(management_class class_of_mad, std::uint16_t id);

} // namespace madrigal
