// NodeRecord (IBA 15.2.5.2): a port of a node, and what the node is.
#pragma once

#include <madrigal/wire/attributes/node_description.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_NODE_RECORD(field)                                                                                    \
    field(lid,              base_lid,    "LID",               0,  16, "LID of the port; of port 0 for a switch")       \
    field(node_info,        info,        "NodeInfo",         32, 320, "what the node is")                              \
    field(node_description, description, "NodeDescription", 352, 512, "what people call it")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(node_record, "NodeRecord", 0x0011, attribute_scope{management_class::subnet_administration}, 108,
    MADRIGAL_NODE_RECORD);
} // namespace madrigal
