// P_KeyTableRecord (IBA 15.2.5.11): a block of the partition keys of a port.
#pragma once

#include <madrigal/wire/attributes/p_key_table.hpp>
#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_P_KEY_TABLE_RECORD(field)                                                                             \
    field(lid,           base_lid,  "LID",         0,  16, "LID of the port; of port 0 for a switch")                  \
    field(std::uint16_t, block_num, "BlockNum",   16,  16, "block of the table")                                       \
    field(std::uint8_t,  port_num,  "PortNum",    32,   8, "port of a switch; 0 for a CA")                             \
    field(p_key_table,   table,     "P_KeyTable", 64, 512, "the block")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(p_key_table_record, "P_KeyTableRecord", 0x0033,
    attribute_scope{management_class::subnet_administration}, 72, MADRIGAL_P_KEY_TABLE_RECORD);
} // namespace madrigal
