// RandomForwardingTable (IBA 14.2.5.11): a block of LID ranges and where a switch sends them. The attribute modifier is
// the block.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <array>
#include <cstdint>

// clang-format off
#define MADRIGAL_LID_PORT_ENTRY(field)                                                                                 \
    field(lid,          base_lid, "EntryLID",  0, 16, "first LID of the range")                                        \
    field(bool,         valid,    "Valid",    16,  1, "the entry is in use")                                           \
    field(std::uint8_t, lmc,      "LMC",      17,  3, "the range has 2 to this power LIDs")                            \
    field(std::uint8_t, port,     "Port",     24,  8, "port to leave by")
// clang-format on

namespace madrigal {
/// A range of LIDs and its port.
MADRIGAL_LAYOUT(lid_port_entry, "LIDPortEntry", 4, MADRIGAL_LID_PORT_ENTRY);

using lid_port_block = std::array<lid_port_entry, 16>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_RANDOM_FORWARDING_TABLE(field)                                                                        \
    field(lid_port_block, entries, "LIDPort", 0, 32, "ranges of LIDs")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(random_forwarding_table, "RandomForwardingTable", 0x001A, subnet_management_scope, 64,
    MADRIGAL_RANDOM_FORWARDING_TABLE);
} // namespace madrigal
