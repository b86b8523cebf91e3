// LinkSpeedWidthPairsTable (IBA 14.2.5.16): which widths some ports have at each speed up to QDR. The attribute
// modifier is the table.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/link.hpp>

// clang-format off
#define MADRIGAL_LINK_SPEED_WIDTH_PAIRS_TABLE(field)                                                                   \
    field(std::uint8_t, num_tables, "NumTables", 0, 8, "tables that there are")                                        \
    field(raw_bytes<32>, port_mask, "PortMask", 8, 256, "bit of each port that this table is for, port 0 the last")    \
    field(flags<link_width>, widths_at_sdr, "LinkSpeedWidthPairs2.5", 264, 8, "widths at SDR")                         \
    field(flags<link_width>, widths_at_ddr, "LinkSpeedWidthPairs5", 272, 8, "widths at DDR")                           \
    field(flags<link_width>, widths_at_qdr, "LinkSpeedWidthPairs10", 280, 8, "widths at QDR")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(link_speed_width_pairs_table, "LinkSpeedWidthPairsTable", 0x001C, subnet_management_scope, 36,
    MADRIGAL_LINK_SPEED_WIDTH_PAIRS_TABLE);
} // namespace madrigal
