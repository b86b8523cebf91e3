// ClassPortInfo (IBA 13.4.8.1): what the agent of a class supports, and where to ask instead.
#pragma once

#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_CLASS_PORT_INFO(field)                                                                                \
    field(std::uint8_t,  base_version,    "BaseVersion",     0,   8, "version of the MAD format")                      \
    field(std::uint8_t,  class_version,   "ClassVersion",    8,   8, "version of the class")                           \
    field(std::uint16_t, capability_mask, "CapabilityMask", 16, 16,                                                    \
        "bits 0 and 1 common, from 8 the class's own", hexadecimal)                                                    \
    field(std::uint32_t, capability_mask2, "CapabilityMask2", 32, 27, "the class's own", hexadecimal)                  \
    field(std::uint8_t,  resp_time_value, "RespTimeValue",  59,   5, "longest answer: 4.096 us times 2 to this power") \
    field(gid,           redirect_gid,    "RedirectGID",    64, 128, "where to ask instead")                           \
    field(std::uint8_t,  redirect_tc,     "RedirectTC",    192,   8, "traffic class to there", hexadecimal)            \
    field(std::uint8_t,  redirect_sl,     "RedirectSL",    200,   4, "service level to there")                         \
    field(std::uint32_t, redirect_fl,     "RedirectFL",    204,  20, "flow label to there", hexadecimal)               \
    field(lid,           redirect_lid,    "RedirectLID",   224,  16,                                                   \
        "where to ask instead; 0 where only the GID is known")                                                         \
    field(std::uint16_t, redirect_p_key,  "RedirectP_Key", 240,  16, "partition key to there", hexadecimal)            \
    field(std::uint32_t, redirect_qp,     "RedirectQP",    264,  24, "queue pair there", hexadecimal)                  \
    field(std::uint32_t, redirect_q_key,  "RedirectQ_Key", 288,  32, "key of that queue pair", hexadecimal)            \
    field(gid,           trap_gid,        "TrapGID",       320, 128, "where traps go")                                 \
    field(std::uint8_t,  trap_tc,         "TrapTC",        448,   8, "traffic class to there", hexadecimal)            \
    field(std::uint8_t,  trap_sl,         "TrapSL",        456,   4, "service level to there")                         \
    field(std::uint32_t, trap_fl,         "TrapFL",        460,  20, "flow label to there", hexadecimal)               \
    field(lid,           trap_lid,        "TrapLID",       480,  16, "where traps go")                                 \
    field(std::uint16_t, trap_p_key,      "TrapP_Key",     496,  16, "partition key to there", hexadecimal)            \
    field(std::uint8_t,  trap_hl,         "TrapHL",        512,   8, "hop limit to there")                             \
    field(std::uint32_t, trap_qp,         "TrapQP",        520,  24, "queue pair there", hexadecimal)                  \
    field(std::uint32_t, trap_q_key,      "TrapQ_Key",     544,  32, "key of that queue pair", hexadecimal)
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(class_port_info, "ClassPortInfo", 0x0001, attribute_scope::general(), 72, MADRIGAL_CLASS_PORT_INFO);
} // namespace madrigal
