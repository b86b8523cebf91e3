// GUIDInfoRecord (IBA 15.2.5.18): a block of the GUIDs of a port, which its owner may set.
#pragma once

#include <madrigal/wire/attributes/guid_info.hpp>
#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_GUID_INFO_RECORD(field)                                                                               \
    field(lid,          base_lid,  "LID",       0,  16, "LID of the port")                                             \
    field(std::uint8_t, block_num, "BlockNum", 16,   8, "block of the table")                                          \
    field(guid_info,    info,      "GUIDInfo", 64, 512, "the block")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(guid_info_record, "GUIDInfoRecord", 0x0030, attribute_scope{management_class::subnet_administration},
    72, MADRIGAL_GUID_INFO_RECORD);
} // namespace madrigal
