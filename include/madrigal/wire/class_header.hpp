// The headers of the classes behind the common one (IBA 13.6.2, 15.2.1.1, 16.2.1, 16.4.1, 16.5.1, A10.4.1): from the
// start of the MAD to its data.
#pragma once

#include <madrigal/wire/mad.hpp>

// clang-format off
#define MADRIGAL_RMPP_FIELDS(field)                                                                                    \
    field(std::uint8_t, rmpp_version, "RMPPVersion", 192, 8, "1, or 0 without RMPP")                                   \
    field(std::uint8_t, rmpp_type, "RMPPType", 200, 8, "1 data, 2 acknowledgement, 3 stop, 4 abort")                   \
    field(std::uint8_t, rmpp_response_time, "RRespTime", 208, 5,                                                       \
        "longest answer: 4.096 us times 2 to this power, 31 for none")                                                 \
    field(std::uint8_t, rmpp_flags, "RMPPFlags", 213, 3, "bit 0 active, bit 1 first, bit 2 last", hexadecimal)         \
    field(std::uint8_t, rmpp_status, "RMPPStatus", 216, 8, "why it stops")                                             \
    field(std::uint32_t, rmpp_data1, "Data1", 224, 32, "segment number")                                               \
    field(std::uint32_t, rmpp_data2, "Data2", 256, 32,                                                                 \
        "payload length; of an acknowledgement the last of the window")
// clang-format on

// clang-format off
#define MADRIGAL_SA_HEADER(field)                                                                                      \
    MADRIGAL_MAD_HEADER(field)                                                                                         \
    MADRIGAL_RMPP_FIELDS(field)                                                                                        \
    field(std::uint64_t, sm_key, "SM_Key", 288, 64, "key of trusted requests", hexadecimal)                            \
    field(std::uint16_t, attribute_offset, "AttributeOffset", 352, 16,                                                 \
        "from one record to the next, in steps of 8 bytes")                                                            \
    field(std::uint64_t, component_mask, "ComponentMask", 384, 64,                                                     \
        "which components of the record count", hexadecimal)
// clang-format on

namespace madrigal {
/// Of subnet administration.
MADRIGAL_LAYOUT(sa_header, "SAHeader", 56, MADRIGAL_SA_HEADER);
} // namespace madrigal

// clang-format off
#define MADRIGAL_VENDOR_OUI_HEADER(field)                                                                              \
    MADRIGAL_MAD_HEADER(field)                                                                                         \
    MADRIGAL_RMPP_FIELDS(field)                                                                                        \
    field(std::uint32_t, oui, "OUI", 296, 24, "who defined the format", hexadecimal)
// clang-format on

namespace madrigal {
/// Of vendor classes 0x30 to 0x4F. Those from 0x09 to 0x0F have only the common header.
MADRIGAL_LAYOUT(vendor_oui_header, "VendorOUIHeader", 40, MADRIGAL_VENDOR_OUI_HEADER);
} // namespace madrigal

// clang-format off
#define MADRIGAL_BASEBOARD_HEADER(field)                                                                               \
    MADRIGAL_MAD_HEADER(field)                                                                                         \
    field(std::uint64_t, b_key, "B_Key", 192, 64, "baseboard key", hexadecimal)
// clang-format on

namespace madrigal {
/// Of baseboard management.
MADRIGAL_LAYOUT(baseboard_header, "BaseboardHeader", 64, MADRIGAL_BASEBOARD_HEADER);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CONGESTION_HEADER(field)                                                                              \
    MADRIGAL_MAD_HEADER(field)                                                                                         \
    field(std::uint64_t, cc_key, "CC_Key", 192, 64, "congestion control key", hexadecimal)
// clang-format on

namespace madrigal {
/// Of congestion control. The congestion log begins at byte 32.
MADRIGAL_LAYOUT(congestion_header, "CongestionHeader", 64, MADRIGAL_CONGESTION_HEADER);
} // namespace madrigal

// clang-format off
#define MADRIGAL_SNMP_HEADER(field)                                                                                    \
    MADRIGAL_MAD_HEADER(field)                                                                                         \
    field(std::uint32_t, source_queue_pair, "RAddress",      448, 32, "where the answer goes", hexadecimal)            \
    field(std::uint8_t,  payload_length,    "PayloadLength", 480,  8, "bytes of data that count")                      \
    field(std::uint8_t,  segment_number,    "SegmentNumber", 488,  8, "which part of a longer message")                \
    field(lid,           source_lid,        "SourceLID",     496, 16, "who sent it")
// clang-format on

namespace madrigal {
/// Of SNMP tunnelling.
MADRIGAL_LAYOUT(snmp_header, "SNMPHeader", 64, MADRIGAL_SNMP_HEADER);
} // namespace madrigal
