// SLtoVLMappingTableRecord (IBA 15.2.5.4) and VLArbitrationTableRecord (15.2.5.9): how a port uses its virtual lanes.
#pragma once

#include <madrigal/wire/attributes/sl_to_vl_mapping_table.hpp>
#include <madrigal/wire/attributes/vl_arbitration_table.hpp>
#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_SL_TO_VL_MAPPING_TABLE_RECORD(field)                                                                  \
    field(lid, base_lid, "LID", 0, 16, "LID of the port; of port 0 for a switch")                                      \
    field(std::uint8_t, input_port_num, "InputPortNum", 16, 8, "port that packets come in by; 0 for a CA")             \
    field(std::uint8_t, output_port_num, "OutputPortNum", 24, 8, "port that they leave by; 0 for a CA")                \
    field(sl_to_vl_mapping_table, table, "SLtoVLMappingTable", 64, 64, "the table")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(sl_to_vl_mapping_table_record, "SLtoVLMappingTableRecord", 0x0013,
    attribute_scope{management_class::subnet_administration}, 16, MADRIGAL_SL_TO_VL_MAPPING_TABLE_RECORD);
} // namespace madrigal

// clang-format off
#define MADRIGAL_VL_ARBITRATION_TABLE_RECORD(field)                                                                    \
    field(lid, base_lid, "LID", 0, 16, "LID of the port; of port 0 for a switch")                                      \
    field(std::uint8_t, output_port_num, "OutputPortNum", 16, 8, "port that packets leave by; 0 for a CA")             \
    field(std::uint8_t, block_num, "BlockNum", 24, 8, "block: 1 and 2 low priority, 3 and 4 high")                     \
    field(vl_arbitration_table, table, "VLArbitrationTable", 64, 512, "the block")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(vl_arbitration_table_record, "VLArbitrationTableRecord", 0x0036,
    attribute_scope{management_class::subnet_administration}, 72, MADRIGAL_VL_ARBITRATION_TABLE_RECORD);
} // namespace madrigal
