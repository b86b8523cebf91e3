// DiagnosticTimeout and DiagCode (IBA 16.3.3.6, 16.3.3.10): the diagnosis of an I/O controller. The attribute modifier
// is the slot.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <cstdint>

// clang-format off
#define MADRIGAL_DIAGNOSTIC_TIMEOUT(field)                                                                             \
    field(std::uint32_t, max_diag_time, "MaxDiagTime", 0, 32, "longest time of a test in ms")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(diagnostic_timeout, "DiagnosticTimeout", 0x0020,
    attribute_scope{management_class::device_management}, 4, MADRIGAL_DIAGNOSTIC_TIMEOUT);
} // namespace madrigal

// clang-format off
#define MADRIGAL_DEVICE_DIAG_CODE(field)                                                                               \
    field(std::uint16_t, code, "DiagCode", 0, 16, "outcome, 0 for good, else the vendor's", hexadecimal)
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(device_diag_code, "DiagCode", 0x0024, attribute_scope{management_class::device_management}, 2,
    MADRIGAL_DEVICE_DIAG_CODE);
} // namespace madrigal
