// LinkRecord (IBA 15.2.5.13): a cable, from one of its ends.
#pragma once

#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_LINK_RECORD(field)                                                                                    \
    field(lid,          from_lid,  "FromLID",   0, 16, "one end: LID of the port; of port 0 for a switch")             \
    field(std::uint8_t, from_port, "FromPort", 16,  8, "its port")                                                     \
    field(std::uint8_t, to_port,   "ToPort",   24,  8, "port of the other end")                                        \
    field(lid,          to_lid,    "ToLID",    32, 16, "LID of the other end")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(link_record, "LinkRecord", 0x0020, attribute_scope{management_class::subnet_administration}, 6,
    MADRIGAL_LINK_RECORD);
} // namespace madrigal
