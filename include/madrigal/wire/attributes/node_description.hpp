// NodeDescription (IBA 14.2.5.2): what people call a node.
#pragma once

#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_NODE_DESCRIPTION(field)                                                                               \
    field(fixed_text<64>, description, "NodeDescription", 0, 512, "UTF-8 text up to the first zero byte")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(node_description, "NodeDescription", 0x0010, subnet_management_scope, 64, MADRIGAL_NODE_DESCRIPTION);
} // namespace madrigal
