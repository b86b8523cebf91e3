// ServiceEntries (IBA 16.3.3.5): services of an I/O controller. The attribute modifier is the slot in bits 16 to 31,
// the last service in bits 8 to 15 and the first in bits 0 to 7.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <array>

// clang-format off
#define MADRIGAL_SERVICE_ENTRY(field)                                                                                  \
    field(fixed_text<40>, name,       "ServiceName",   0, 320, "UTF-8 name")                                           \
    field(std::uint64_t,  service_id, "ServiceID",   320,  64, "the service", hexadecimal)
// clang-format on

namespace madrigal {
/// A service.
MADRIGAL_LAYOUT(service_entry, "ServiceEntry", 48, MADRIGAL_SERVICE_ENTRY);

using service_entry_block = std::array<service_entry, 4>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_SERVICE_ENTRIES(field)                                                                                \
    field(service_entry_block, entries, "ServiceEntry", 0, 384, "up to four services")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(service_entries, "ServiceEntries", 0x0012, attribute_scope{management_class::device_management}, 192,
    MADRIGAL_SERVICE_ENTRIES);
} // namespace madrigal
