// Notice (IBA 13.4.8.2) as all classes but subnet management carry it: with the issuer's GID, 80 bytes.
#pragma once

#include <madrigal/wire/attributes/notice.hpp>

// clang-format off
#define MADRIGAL_NOTICE_REPORT(field)                                                                                  \
    MADRIGAL_NOTICE(field)                                                                                             \
    field(gid, issuer_gid, "IssuerGID", 512, 128, "who tells")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(notice_report, "NoticeReport", 0x0002, attribute_scope::general(), 80, MADRIGAL_NOTICE_REPORT);
} // namespace madrigal
