// GUIDInfo (IBA 14.2.5.5): a block of a port's GUID table. The attribute modifier is the block.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <array>

namespace madrigal {
/// Eight GUIDs; entry 0 of block 0 is the port's own and read only.
using guid_block = std::array<guid, 8>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_GUID_INFO(field)                                                                                      \
    field(guid_block, guids, "GUID", 0, 64, "GUIDs of the port, 0 for a free entry")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(guid_info, "GUIDInfo", 0x0014, subnet_management_scope, 64, MADRIGAL_GUID_INFO);
} // namespace madrigal
