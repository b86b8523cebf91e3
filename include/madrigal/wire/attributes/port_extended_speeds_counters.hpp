// PortExtendedSpeedsCounters (IBA 16.1.4.12): errors of links faster than QDR, lane by lane. A port with Reed-Solomon
// error correction gives other counters in the same bytes: port_extended_speeds_rs_fec_counters.hpp.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/performance.hpp>

#include <array>
#include <cstdint>

namespace madrigal {
/// One counter for each lane of a link.
using link_lane_counters16 = std::array<std::uint16_t, 12>;
using link_lane_counters32 = std::array<std::uint32_t, 12>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_EXTENDED_SPEEDS_COUNTERS(field)                                                                  \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port")                                                       \
    field(std::uint64_t, counter_select, "CounterSelect", 64, 64, "counters that a Set writes, by bit", hexadecimal)   \
    field(std::uint16_t, sync_header_errors, "SyncHeaderErrorCounter", 128, 16,                                        \
        "blocks with a bad synchronisation header")                                                                    \
    field(std::uint16_t, unknown_blocks, "UnknownBlockCounter", 144, 16, "blocks of an unknown kind")                  \
    field(link_lane_counters16, error_detections, "ErrorDetectionCounterLane", 160, 16,                                \
        "errors that the parity of a lane found")                                                                      \
    field(link_lane_counters32, fec_correctable_blocks, "FECCorrectableBlockCtrLane", 352, 32,                         \
        "blocks of a lane that were corrected")                                                                        \
    field(link_lane_counters32, fec_uncorrectable_blocks, "FECUncorrectableBlockCtrLane", 736, 32,                     \
        "blocks of a lane that could not be")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_extended_speeds_counters, "PortExtendedSpeedsCounters", 0x001F,
    attribute_scope{management_class::performance}, 140, MADRIGAL_PORT_EXTENDED_SPEEDS_COUNTERS);
} // namespace madrigal
