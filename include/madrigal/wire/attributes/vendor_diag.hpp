// VendorDiag (IBA 14.2.5.14): what a vendor tells of a fault. The attribute modifier is the index.
#pragma once

#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_VENDOR_DIAG(field)                                                                                    \
    field(std::uint16_t, next_index, "NextIndex",  0,  16, "modifier to ask with next, 0 for none")                    \
    field(raw_bytes<62>, data,       "DiagData",  16, 496, "the vendor's own")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(vendor_diag, "VendorDiag", 0x0030, subnet_management_scope, 64, MADRIGAL_VENDOR_DIAG);
} // namespace madrigal
