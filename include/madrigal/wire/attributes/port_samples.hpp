// PortSamplesControl, PortSamplesResult and PortSamplesResultExtended (IBA 16.1.3.2, 16.1.3.4, 16.1.4.10): counters
// read at the ends of an interval.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/performance.hpp>

#include <array>
#include <cstdint>

namespace madrigal {
/// Which counter is sampled in each of 15 places: numbers of `sampled_counter`, from 0xC000 the vendor's own.
using sample_selects = std::array<sampled_counter, 15>;
using sample_counters32 = std::array<std::uint32_t, 15>;
using sample_counters64 = std::array<std::uint64_t, 15>;
/// What each of 9 and of 5 more sampled counters can do.
using sample_masks9 = std::array<std::uint8_t, 9>;
using sample_masks5 = std::array<std::uint8_t, 5>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_SAMPLES_CONTROL(field)                                                                           \
    field(std::uint8_t, op_code, "OpCode", 0, 8, "operation code for counters that ask for one", hexadecimal)          \
    field(std::uint8_t, port_select, "PortSelect", 8, 8, "port to sample")                                             \
    field(std::uint8_t, tick, "Tick", 16, 8, "length of a tick: 0 is the time of a byte at 2.5 Gb/s")                  \
    field(std::uint8_t, counter_width, "CounterWidth", 29, 3,                                                          \
        "width of the counters: 16 bits and 4 more for each step")                                                     \
    field(std::uint8_t, counter_mask0, "CounterMask0", 34, 3, "what counter 0 can sample")                             \
    field(sample_masks9, counter_masks1to9, "CounterMasks1to9", 37, 3, "what counters 1 to 9 can sample")              \
    field(sample_masks5, counter_masks10to14, "CounterMasks10to14", 65, 3, "what counters 10 to 14 can sample")        \
    field(std::uint8_t, sample_mechanisms, "SampleMechanisms", 80, 8,                                                  \
        "how many sampling mechanisms there are besides")                                                              \
    field(sample_status, status, "SampleStatus", 94, 2, "whether the sampling is done")                                \
    field(std::uint64_t, option_mask, "OptionMask", 96, 64, "optional counters that there are", hexadecimal)           \
    field(std::uint64_t, vendor_mask, "VendorMask", 160, 64, "vendor's counters that there are", hexadecimal)          \
    field(std::uint32_t, sample_start, "SampleStart", 224, 32, "ticks until it starts")                                \
    field(std::uint32_t, sample_interval, "SampleInterval", 256, 32, "ticks that it takes")                            \
    field(std::uint16_t, tag, "Tag", 288, 16, "chosen by the asker, found again in the result")                        \
    field(sample_selects, counter_selects, "CounterSelect", 304, 16, "what to sample in each place")                   \
    field(std::uint64_t, samples_only_option_mask, "SamplesOnlyOptionMask", 576, 64,                                   \
        "optional counters that can only be sampled", hexadecimal)
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_samples_control, "PortSamplesControl", 0x0010, attribute_scope{management_class::performance},
    80, MADRIGAL_PORT_SAMPLES_CONTROL);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_SAMPLES_RESULT(field)                                                                            \
    field(std::uint16_t,     tag,      "Tag",           0, 16, "that of the control")                                  \
    field(sample_status,     status,   "SampleStatus", 30,  2, "whether the sampling is done")                         \
    field(sample_counters32, counters, "Counter",      32, 32, "what was counted in each place")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_samples_result, "PortSamplesResult", 0x0011, attribute_scope{management_class::performance}, 64,
    MADRIGAL_PORT_SAMPLES_RESULT);
} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_SAMPLES_RESULT_EXTENDED(field)                                                                   \
    field(std::uint16_t, tag, "Tag", 0, 16, "that of the control")                                                     \
    field(sample_status, status, "SampleStatus", 30, 2, "whether the sampling is done")                                \
    field(std::uint8_t, extended_width, "ExtendedWidth", 32, 2, "width of the counters: 1 for 48 bits, 2 for 64")      \
    field(sample_counters64, counters, "Counter", 64, 64, "what was counted in each place")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(port_samples_result_extended, "PortSamplesResultExtended", 0x001E,
    attribute_scope{management_class::performance}, 128, MADRIGAL_PORT_SAMPLES_RESULT_EXTENDED);
} // namespace madrigal
