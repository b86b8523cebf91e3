// InformInfo (IBA 13.4.8.3): which notices someone wants to be told.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/notice_type.hpp>

#include <cstdint>

namespace madrigal {
/// InformInfo.Type and TrapNumber that stand for all of them.
inline constexpr std::uint16_t all_notices = 0xFFFF;
/// InformInfo.LIDRangeBegin that stands for all LIDs.
inline constexpr lid all_lids{0xFFFF};
/// InformInfo.ProducerType that stands for all kinds of node.
inline constexpr notice_producer all_producers{0xFF'FFFF};
} // namespace madrigal

// clang-format off
#define MADRIGAL_INFORM_INFO(field)                                                                                    \
    field(gid, source_gid, "GID", 0, 128, "port whose notices are wanted; 0 to choose by LID")                         \
    field(lid, lid_range_begin, "LIDRangeBegin", 128, 16, "first LID of those whose notices are wanted")               \
    field(lid, lid_range_end, "LIDRangeEnd", 144, 16, "last of them")                                                  \
    field(std::uint8_t, is_generic, "IsGeneric", 176, 8, "1 for the IBA's notices, 0 for a vendor's")                  \
    field(std::uint8_t, subscribe, "Subscribe", 184, 8, "1 to begin, 0 to end")                                        \
    field(std::uint16_t, type, "Type", 192, 16, "notice type, 65535 for all")                                          \
    field(std::uint16_t, trap_number, "TrapNumber", 208, 16, "trap, 65535 for all; DeviceID for a vendor's")           \
    field(std::uint32_t, qpn, "QPN", 224, 24, "queue pair that is told; only to end a subscription", hexadecimal)      \
    field(std::uint8_t, resp_time_value, "RespTimeValue", 251, 5, "longest answer: 4.096 us times 2 to this power")    \
    field(notice_producer, producer_type, "ProducerType", 264, 24, "kind of node; VendorID for a vendor's")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(inform_info, "InformInfo", 0x0003, attribute_scope::general(), 36, MADRIGAL_INFORM_INFO);
} // namespace madrigal
