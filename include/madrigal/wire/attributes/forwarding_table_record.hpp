// LinearForwardingTableRecord, RandomForwardingTableRecord and MulticastForwardingTableRecord (IBA 15.2.5.6
// to 15.2.5.8): a block of the tables of a switch.
#pragma once

#include <madrigal/wire/attributes/linear_forwarding_table.hpp>
#include <madrigal/wire/attributes/multicast_forwarding_table.hpp>
#include <madrigal/wire/attributes/random_forwarding_table.hpp>
#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_LINEAR_FORWARDING_TABLE_RECORD(field)                                                                 \
    field(lid,                     base_lid,  "LID",                    0,  16, "LID of the switch")                   \
    field(std::uint16_t,           block_num, "BlockNum",              16,  16, "block of the table")                  \
    field(linear_forwarding_table, table,     "LinearForwardingTable", 64, 512, "the block")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(linear_forwarding_table_record, "LinearForwardingTableRecord", 0x0015,
    attribute_scope{management_class::subnet_administration}, 72, MADRIGAL_LINEAR_FORWARDING_TABLE_RECORD);
} // namespace madrigal

// clang-format off
#define MADRIGAL_RANDOM_FORWARDING_TABLE_RECORD(field)                                                                 \
    field(lid,                     base_lid,  "LID",                    0,  16, "LID of the switch")                   \
    field(std::uint16_t,           block_num, "BlockNum",              16,  16, "block of the table")                  \
    field(random_forwarding_table, table,     "RandomForwardingTable", 64, 512, "the block")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(random_forwarding_table_record, "RandomForwardingTableRecord", 0x0016,
    attribute_scope{management_class::subnet_administration}, 72, MADRIGAL_RANDOM_FORWARDING_TABLE_RECORD);
} // namespace madrigal

// clang-format off
#define MADRIGAL_MULTICAST_FORWARDING_TABLE_RECORD(field)                                                              \
    field(lid,                        base_lid,  "LID",                       0,  16, "LID of the switch")             \
    field(std::uint8_t,               position,  "Position",                 16,   4, "which 16 ports")                \
    field(std::uint16_t,              block_num, "BlockNum",                 23,   9, "block of the table")            \
    field(multicast_forwarding_table, table,     "MulticastForwardingTable", 64, 512, "the block")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(multicast_forwarding_table_record, "MulticastForwardingTableRecord", 0x0017,
    attribute_scope{management_class::subnet_administration}, 72, MADRIGAL_MULTICAST_FORWARDING_TABLE_RECORD);
} // namespace madrigal
