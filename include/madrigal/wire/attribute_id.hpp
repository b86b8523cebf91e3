// Attribute ids of the MAD header (IBA 12.6, 13.4.8, 14.2.5, 15.2.5, 16, A10.4).
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
inline constexpr std::uint16_t link_speed_width_pairs_table = 0x001C;
inline constexpr std::uint16_t sm_info = 0x0020;
inline constexpr std::uint16_t vendor_diag = 0x0030;
inline constexpr std::uint16_t led_info = 0x0031;
inline constexpr std::uint16_t port_info_extended = 0x0033;
inline constexpr std::uint16_t switch_port_state_table = 0x0034;
inline constexpr std::uint16_t mlnx_ext_port_info = 0xFF90;
// performance management
inline constexpr std::uint16_t port_samples_control = 0x0010;
inline constexpr std::uint16_t port_samples_result = 0x0011;
inline constexpr std::uint16_t port_counters = 0x0012;
inline constexpr std::uint16_t port_rcv_error_details = 0x0015;
inline constexpr std::uint16_t port_xmit_discard_details = 0x0016;
inline constexpr std::uint16_t port_op_rcv_counters = 0x0017;
inline constexpr std::uint16_t port_flow_ctl_counters = 0x0018;
inline constexpr std::uint16_t port_vl_op_packets = 0x0019;
inline constexpr std::uint16_t port_vl_op_data = 0x001A;
inline constexpr std::uint16_t port_vl_xmit_flow_ctl_update_errors = 0x001B;
inline constexpr std::uint16_t port_vl_xmit_wait_counters = 0x001C;
inline constexpr std::uint16_t port_counters_extended = 0x001D;
inline constexpr std::uint16_t port_samples_result_extended = 0x001E;
inline constexpr std::uint16_t port_extended_speeds_counters = 0x001F;
inline constexpr std::uint16_t sw_port_vl_congestion = 0x0030;
inline constexpr std::uint16_t port_rcv_con_ctrl = 0x0031;
inline constexpr std::uint16_t port_sl_rcv_fecn = 0x0032;
inline constexpr std::uint16_t port_sl_rcv_becn = 0x0033;
inline constexpr std::uint16_t port_xmit_con_ctrl = 0x0034;
inline constexpr std::uint16_t port_vl_xmit_time_cong = 0x0035;
inline constexpr std::uint16_t port_xmit_data_sl = 0x0036;
inline constexpr std::uint16_t port_rcv_data_sl = 0x0037;
inline constexpr std::uint16_t port_xmit_data_sl_extended = 0x0038;
inline constexpr std::uint16_t port_rcv_data_sl_extended = 0x0039;
// subnet administration
inline constexpr std::uint16_t node_record = 0x0011;
inline constexpr std::uint16_t port_info_record = 0x0012;
inline constexpr std::uint16_t sl_to_vl_mapping_table_record = 0x0013;
inline constexpr std::uint16_t switch_info_record = 0x0014;
inline constexpr std::uint16_t linear_forwarding_table_record = 0x0015;
inline constexpr std::uint16_t random_forwarding_table_record = 0x0016;
inline constexpr std::uint16_t multicast_forwarding_table_record = 0x0017;
inline constexpr std::uint16_t sm_info_record = 0x0018;
inline constexpr std::uint16_t link_record = 0x0020;
inline constexpr std::uint16_t guid_info_record = 0x0030;
inline constexpr std::uint16_t service_record = 0x0031;
inline constexpr std::uint16_t p_key_table_record = 0x0033;
inline constexpr std::uint16_t path_record = 0x0035;
inline constexpr std::uint16_t vl_arbitration_table_record = 0x0036;
inline constexpr std::uint16_t mc_member_record = 0x0038;
inline constexpr std::uint16_t trace_record = 0x0039;
inline constexpr std::uint16_t multi_path_record = 0x003A;
inline constexpr std::uint16_t service_association_record = 0x003B;
inline constexpr std::uint16_t port_info_extended_record = 0x003E;
inline constexpr std::uint16_t inform_info_record = 0x00F3;
// device management
inline constexpr std::uint16_t io_unit_info = 0x0010;
inline constexpr std::uint16_t io_controller_profile = 0x0011;
inline constexpr std::uint16_t service_entries = 0x0012;
inline constexpr std::uint16_t diagnostic_timeout = 0x0020;
inline constexpr std::uint16_t prepare_to_test = 0x0021;
inline constexpr std::uint16_t test_device_once = 0x0022;
inline constexpr std::uint16_t test_device_loop = 0x0023;
inline constexpr std::uint16_t device_diag_code = 0x0024;
// baseboard management
inline constexpr std::uint16_t b_key_info = 0x0010;
// congestion control
inline constexpr std::uint16_t congestion_info = 0x0011;
inline constexpr std::uint16_t congestion_key_info = 0x0012;
inline constexpr std::uint16_t congestion_log = 0x0013;
inline constexpr std::uint16_t switch_congestion_setting = 0x0014;
inline constexpr std::uint16_t switch_port_congestion_setting = 0x0015;
inline constexpr std::uint16_t ca_congestion_setting = 0x0016;
inline constexpr std::uint16_t congestion_control_table = 0x0017;
inline constexpr std::uint16_t congestion_time_stamp = 0x0018;
// communication management
inline constexpr std::uint16_t cm_req = 0x0010;
inline constexpr std::uint16_t cm_mra = 0x0011;
inline constexpr std::uint16_t cm_rej = 0x0012;
inline constexpr std::uint16_t cm_rep = 0x0013;
inline constexpr std::uint16_t cm_rtu = 0x0014;
inline constexpr std::uint16_t cm_dreq = 0x0015;
inline constexpr std::uint16_t cm_drep = 0x0016;
inline constexpr std::uint16_t cm_sidr_req = 0x0017;
inline constexpr std::uint16_t cm_sidr_rep = 0x0018;
inline constexpr std::uint16_t cm_lap = 0x0019;
inline constexpr std::uint16_t cm_apr = 0x001A;
} // namespace attribute_id

/// The name of the attribute that has a table, `NodeInfo`; a hexadecimal number for any other.
[[nodiscard]] std::string attribute_name(management_class class_of_mad, std::uint16_t id);

} // namespace madrigal
