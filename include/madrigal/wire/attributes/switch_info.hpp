// SwitchInfo (IBA 14.2.5.4): what a switch can, and how it forwards.
#pragma once

#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_SWITCH_INFO(field)                                                                                    \
    field(std::uint16_t, linear_fdb_cap,    "LinearFDBCap",    0, 16, "entries of the linear forwarding table")        \
    field(std::uint16_t, random_fdb_cap,    "RandomFDBCap",   16, 16, "entries of the random forwarding table")        \
    field(std::uint16_t, multicast_fdb_cap, "MulticastFDBCap", 32, 16, "entries of the multicast forwarding table")    \
    field(std::uint16_t, linear_fdb_top,    "LinearFDBTop",   48, 16, "last entry of the linear table in use")         \
    field(std::uint8_t,  default_port,      "DefaultPort",    64,  8, "where LIDs missing in a random table go")       \
    field(std::uint8_t,  default_multicast_primary_port, "DefaultMulticastPrimaryPort", 72, 8,                         \
        "where unknown multicast LIDs go")                                                                             \
    field(std::uint8_t,  default_multicast_not_primary_port, "DefaultMulticastNotPrimaryPort", 80, 8,                  \
        "where they go from the primary port")                                                                         \
    field(std::uint8_t,  life_time_value,   "LifeTimeValue",  88,  5, "longest stay: 4.096 us times 2 to this power")  \
    field(bool,          port_state_change, "PortStateChange", 93, 1,                                                  \
        "a port changed its state; cleared by a Set of 1")                                                             \
    field(std::uint8_t,  optimized_sl_to_vl_mapping, "OptimizedSLtoVLMappingProgramming", 94, 2,                       \
        "one Set may program many SLtoVL tables")                                                                      \
    field(std::uint16_t, lids_per_port,     "LIDsPerPort",    96, 16,                                                  \
        "LID and LMC combinations of a random table's port")                                                           \
    field(std::uint16_t, partition_enforcement_cap, "PartitionEnforcementCap", 112, 16,                                \
        "entries of the P_Key table of an external port")                                                              \
    field(bool,          inbound_enforcement_cap, "InboundEnforcementCap", 128, 1, "can check P_Keys coming in")       \
    field(bool,          outbound_enforcement_cap, "OutboundEnforcementCap", 129, 1, "can check P_Keys going out")     \
    field(bool,          filter_raw_inbound_cap, "FilterRawInboundCap", 130, 1, "can drop raw packets coming in")      \
    field(bool,          filter_raw_outbound_cap, "FilterRawOutboundCap", 131, 1, "can drop raw packets going out")    \
    field(bool,          enhanced_port0,    "EnhancedPort0", 132,  1, "port 0 is a full end port")                     \
    field(std::uint16_t, multicast_fdb_top, "MulticastFDBTop", 144, 16, "last multicast LID in use", hexadecimal)
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(switch_info, "SwitchInfo", 0x0012, subnet_management_scope, 20, MADRIGAL_SWITCH_INFO);
} // namespace madrigal
