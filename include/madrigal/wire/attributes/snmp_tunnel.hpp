// CommunityInfo and PDUInfo (IBA 16.4.3): SNMP in MADs.
#pragma once

#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_SNMP_COMMUNITY_INFO(field)                                                                            \
    field(fixed_text<64>, name, "CommunityName", 0, 512, "name of the community")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(snmp_community_info, "CommunityInfo", 0x0010, attribute_scope{management_class::snmp}, 64,
    MADRIGAL_SNMP_COMMUNITY_INFO);
} // namespace madrigal

// clang-format off
#define MADRIGAL_SNMP_PDU_INFO(field)                                                                                  \
    field(raw_bytes<192>, data, "PDUData", 0, 1536, "a segment of the message")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(
    snmp_pdu_info, "PDUInfo", 0x0011, attribute_scope{management_class::snmp}, 192, MADRIGAL_SNMP_PDU_INFO);
} // namespace madrigal
