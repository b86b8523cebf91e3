// PortExtendedSpeedsCounters as a port with Reed-Solomon error correction gives it: where the class has
// `performance_capability::rs_fec_counters` and PortInfoExtended.FECModeActive tells of it. It is found by its name
// alone.
#pragma once

#include <madrigal/wire/attributes/port_extended_speeds_counters.hpp>

// clang-format off
#define MADRIGAL_PORT_EXTENDED_SPEEDS_RS_FEC_COUNTERS(field)                                                           \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port")                                                       \
    field(std::uint64_t, counter_select, "CounterSelect", 64, 64, "counters that a Set writes, by bit", hexadecimal)   \
    field(std::uint16_t, sync_header_errors, "SyncHeaderErrorCounter", 128, 16,                                        \
        "blocks with a bad synchronisation header")                                                                    \
    field(std::uint16_t, unknown_blocks, "UnknownBlockCounter", 144, 16, "blocks of an unknown kind")                  \
    field(link_lane_counters32, fec_corrected_symbols_of_lanes, "FECCorrectableSymbolCtrLane", 352, 32,                \
        "symbols of a lane that were corrected")                                                                       \
    field(std::uint32_t, fec_correctable_blocks, "PortFECCorrectableBlockCtr", 1120, 32,                               \
        "blocks that were corrected")                                                                                  \
    field(std::uint32_t, fec_uncorrectable_blocks, "PortFECUncorrectableBlockCtr", 1152, 32,                           \
        "blocks that could not be")                                                                                    \
    field(std::uint32_t, fec_corrected_symbols, "PortFECCorrectedSymbolCtr", 1184, 32, "symbols that were corrected")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_extended_speeds_rs_fec_counters, "PortExtendedSpeedsRSFECCounters", 0x001F, attribute_scope{},
    152, MADRIGAL_PORT_EXTENDED_SPEEDS_RS_FEC_COUNTERS);
} // namespace madrigal
