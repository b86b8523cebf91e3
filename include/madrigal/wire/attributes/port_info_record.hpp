// PortInfoRecord and PortInfoExtendedRecord (IBA 15.2.5.3): the state of a port.
#pragma once

#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/attributes/port_info_extended.hpp>
#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_PORT_INFO_RECORD(field)                                                                               \
    field(lid,          endport_lid, "EndportLID",  0,  16, "LID of the port; of port 0 for a port of a switch")       \
    field(std::uint8_t, port_num,    "PortNum",    16,   8, "the port")                                                \
    field(std::uint8_t, options,     "Options",    24,   8, "top bit: all of PortInfo is wanted", hexadecimal)         \
    field(port_info,    info,        "PortInfo",   32, 512, "state of the port")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_info_record, "PortInfoRecord", 0x0012, attribute_scope{management_class::subnet_administration},
    68, MADRIGAL_PORT_INFO_RECORD);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_INFO_EXTENDED_RECORD(field)                                                                      \
    field(lid, endport_lid, "EndportLID", 0, 16, "LID of the port; of port 0 for a port of a switch")                  \
    field(std::uint8_t, port_num, "PortNum", 16, 8, "the port")                                                        \
    field(std::uint8_t, options, "Options", 24, 8, "top bit: all of PortInfo is wanted", hexadecimal)                  \
    field(port_info_extended, info, "PortInfoExtended", 32, 192, "error correction of the port")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_info_extended_record, "PortInfoExtendedRecord", 0x003E,
    attribute_scope{management_class::subnet_administration}, 28, MADRIGAL_PORT_INFO_EXTENDED_RECORD);
} // namespace madrigal
