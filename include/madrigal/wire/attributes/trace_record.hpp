// TraceRecord (IBA 15.2.5.19): a node on the way between two ports. Ids are those of the nodes made unrecognisable.
#pragma once

#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_TRACE_RECORD(field)                                                                                   \
    field(std::uint64_t, gid_prefix,    "GIDPrefix",      0, 64, "subnet prefix of the node", hexadecimal)             \
    field(std::uint16_t, id_generation, "IDGeneration",  64, 16, "ids of one generation can be compared")              \
    field(node_type,     type,          "NodeType",      88,  8, "CA, switch or router")                               \
    field(std::uint64_t, node_id,       "NodeID",        96, 64, "the node", hexadecimal)                              \
    field(std::uint64_t, chassis_id,    "ChassisID",    160, 64, "its chassis", hexadecimal)                           \
    field(std::uint64_t, entry_port_id, "EntryPortID",  224, 64, "port that packets come in by", hexadecimal)          \
    field(std::uint64_t, exit_port_id,  "ExitPortID",   288, 64, "port that they leave by", hexadecimal)               \
    field(std::uint8_t,  entry_port,    "EntryPort",    352,  8, "its number")                                         \
    field(std::uint8_t,  exit_port,     "ExitPort",     360,  8, "its number")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(trace_record, "TraceRecord", 0x0039, attribute_scope{management_class::subnet_administration}, 46,
    MADRIGAL_TRACE_RECORD);
} // namespace madrigal
