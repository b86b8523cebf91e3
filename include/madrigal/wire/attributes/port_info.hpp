// PortInfo (IBA 14.2.5.6): the state of a port, what it can and what it is told. The attribute modifier is the port.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/link.hpp>
#include <madrigal/wire/port_capability.hpp>
#include <madrigal/wire/port_fields.hpp>
#include <madrigal/wire/port_state.hpp>

// clang-format off
#define MADRIGAL_PORT_INFO(field)                                                                                      \
    field(std::uint64_t,  m_key,              "M_Key",              0, 64,                                             \
        "management key; 0 in an answer to who may not see it", hexadecimal)                                           \
    field(std::uint64_t,  gid_prefix,         "GidPrefix",         64, 64,                                             \
        "subnet prefix of the port's GIDs", hexadecimal)                                                               \
    field(lid,            base_lid,           "LID",              128, 16, "the first of the port's LIDs")             \
    field(lid,            master_sm_lid,      "MasterSMLID",      144, 16, "LID of the master SM")                     \
    field(port_capabilities, capability_mask, "CapabilityMask",   160, 32, "what the port supports")                   \
    field(std::uint16_t,  diag_code,          "DiagCode",         192, 16, "diagnostic code, 0 for good", hexadecimal) \
    field(std::uint16_t,  m_key_lease_period, "M_KeyLeasePeriod", 208, 16,                                             \
        "seconds until a violated M_Key is forgotten, 0 for never")                                                    \
    field(std::uint8_t,   local_port_num,     "LocalPortNum",     224,  8, "port by which the packet came in")         \
    field(flags<link_width>, link_width_enabled, "LinkWidthEnabled", 232, 8, "widths the port may use")                \
    field(flags<link_width>, link_width_supported, "LinkWidthSupported", 240, 8, "widths the port can use")            \
    field(link_width,     link_width_active,  "LinkWidthActive",  248,  8, "width in use")                             \
    field(flags<legacy_speed>, link_speed_supported, "LinkSpeedSupported", 256, 4, "speeds up to QDR the port has")    \
    field(port_state,     state,              "PortState",        260,  4, "logical state")                            \
    field(physical_state, phys_state,         "PortPhysicalState", 264, 4, "physical state")                           \
    field(link_down_default_state, link_down_default, "LinkDownDefaultState", 268, 4, "state after the link is lost")  \
    field(std::uint8_t,   m_key_protect_bits, "M_KeyProtectBits", 272,  2, "how far the M_Key protects")               \
    field(std::uint8_t,   lmc,                "LMC",              277,  3, "the port has 2 to this power LIDs")        \
    field(legacy_speed,   link_speed_active,  "LinkSpeedActive",  280,  4,                                             \
        "speed in use up to QDR, 0 for an extended one")                                                               \
    field(flags<legacy_speed>, link_speed_enabled, "LinkSpeedEnabled", 284, 4, "speeds up to QDR the port may use")    \
    field(mtu,            neighbor_mtu,       "NeighborMTU",      288,  4, "MTU towards the other end")                \
    field(std::uint8_t,   master_sm_sl,       "MasterSMSL",       292,  4, "service level towards the master SM")      \
    field(virtual_lanes,  vl_cap,             "VLCap",            296,  4, "data virtual lanes there are")             \
    field(std::uint8_t,   init_type,          "InitType",         300,  4, "initialisation asked for", hexadecimal)    \
    field(std::uint8_t,   vl_high_limit,      "VLHighLimit",      304,  8, "limit of high priority in VL arbitration") \
    field(std::uint8_t,   vl_arbitration_high_cap, "VLArbitrationHighCap", 312, 8, "entries of the high table")        \
    field(std::uint8_t,   vl_arbitration_low_cap, "VLArbitrationLowCap", 320, 8, "entries of the low table")           \
    field(std::uint8_t,   init_type_reply,    "InitTypeReply",    328,  4, "initialisation the SM did", hexadecimal)   \
    field(mtu,            mtu_cap,            "MTUCap",           332,  4, "largest MTU")                              \
    field(std::uint8_t,   vl_stall_count,     "VLStallCount",     336,  3,                                             \
        "packets dropped in a row before a VL stalls")                                                                 \
    field(std::uint8_t,   hoq_life,           "HOQLife",          339,  5,                                             \
        "longest wait at a queue's head: 4.096 us times 2 to this power")                                              \
    field(virtual_lanes,  operational_vls,    "OperationalVLs",   344,  4, "data virtual lanes in use")                \
    field(bool,           partition_enforcement_inbound, "PartitionEnforcementInbound", 348, 1,                        \
        "checks P_Keys coming in")                                                                                     \
    field(bool,           partition_enforcement_outbound, "PartitionEnforcementOutbound", 349, 1,                      \
        "checks P_Keys going out")                                                                                     \
    field(bool,           filter_raw_inbound, "FilterRawInbound", 350,  1, "drops raw packets coming in")              \
    field(bool,           filter_raw_outbound, "FilterRawOutbound", 351, 1, "drops raw packets going out")             \
    field(std::uint16_t,  m_key_violations,   "M_KeyViolations",  352, 16, "SMPs with a wrong M_Key")                  \
    field(std::uint16_t,  p_key_violations,   "P_KeyViolations",  368, 16, "packets with a wrong P_Key")               \
    field(std::uint16_t,  q_key_violations,   "Q_KeyViolations",  384, 16, "packets with a wrong Q_Key")               \
    field(std::uint8_t,   guid_cap,           "GUIDCap",          400,  8, "entries of the GUID table")                \
    field(bool,           client_reregister,  "ClientReregister", 408,  1,                                             \
        "the SM asks clients to subscribe and join again")                                                             \
    field(std::uint8_t,   multicast_p_key_trap_suppression_enabled, "MulticastPKeyTrapSuppressionEnabled", 409, 2,     \
        "no traps for multicast P_Key violations")                                                                     \
    field(std::uint8_t,   subnet_timeout,     "SubnetTimeOut",    411,  5,                                             \
        "longest way: 4.096 us times 2 to this power")                                                                 \
    field(std::uint8_t,   resp_time_value,    "RespTimeValue",    419,  5,                                             \
        "longest answer: 4.096 us times 2 to this power")                                                              \
    field(std::uint8_t,   local_phy_errors,   "LocalPhyErrors",   424,  4, "errors before a trap 129")                 \
    field(std::uint8_t,   overrun_errors,     "OverrunErrors",    428,  4, "overruns before a trap 130")               \
    field(std::uint16_t,  max_credit_hint,    "MaxCreditHint",    432, 16,                                             \
        "credits worth having, in steps of 64 bytes")                                                                  \
    field(extended_speed2, link_speed_ext2_active, "LinkSpeedExtActive2", 449, 2, "speed in use from XDR, 0 for none") \
    field(flags<extended_speed2>, link_speed_ext2_supported, "LinkSpeedExtSupported2", 451, 2,                         \
        "speeds from XDR the port has")                                                                                \
    field(flags<extended_speed2>, link_speed_ext2_enabled, "LinkSpeedExtEnabled2", 453, 3,                             \
        "speeds from XDR the port may use")                                                                            \
    field(std::uint32_t,  link_round_trip_latency, "LinkRoundTripLatency", 456, 24, "in steps of 4 ns")                \
    field(port_capabilities2, capability_mask2, "CapabilityMask2", 480, 16, "what the port supports besides")          \
    field(extended_speed, link_speed_ext_active, "LinkSpeedExtActive", 496, 4, "speed in use FDR to NDR, 0 for none")  \
    field(flags<extended_speed>, link_speed_ext_supported, "LinkSpeedExtSupported", 500, 4,                            \
        "speeds FDR to NDR the port has")                                                                              \
    field(flags<extended_speed>, link_speed_ext_enabled, "LinkSpeedExtEnabled", 507, 5,                                \
        "speeds FDR to NDR the port may use; 30 for none")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_info, "PortInfo", 0x0015, subnet_management_scope, 64, MADRIGAL_PORT_INFO);
} // namespace madrigal
