// Notice (IBA 13.4.8.2) as SMPs carry it: 64 bytes, without the issuer's GID.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/notice_type.hpp>

// clang-format off
#define MADRIGAL_NOTICE(field)                                                                                         \
    field(bool,            is_generic,    "IsGeneric",     0,   1, "defined by the IBA, not by a vendor")              \
    field(notice_type,     type,          "Type",          1,   7, "how grave it is")                                  \
    field(notice_producer, producer_type, "ProducerType",  8,  24, "kind of node; VendorID in a vendor's notice")      \
    field(std::uint16_t,   trap_number,   "TrapNumber",   32,  16, "what happened; DeviceID in a vendor's notice")     \
    field(lid,             issuer_lid,    "IssuerLID",    48,  16, "who tells")                                        \
    field(bool,            notice_toggle, "NoticeToggle", 64,   1, "alternates between notices")                       \
    field(std::uint16_t,   notice_count,  "NoticeCount",  65,  15, "notices waiting")                                  \
    field(raw_bytes<54>,   data_details,  "DataDetails",  80, 432, "details, by trap number")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(notice, "Notice", 0x0002, subnet_management_scope, 64, MADRIGAL_NOTICE);
} // namespace madrigal
