// InformInfoRecord (IBA 15.2.5.12): a subscription to notices.
#pragma once

#include <madrigal/wire/attributes/inform_info.hpp>
#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_INFORM_INFO_RECORD(field)                                                                             \
    field(gid,           subscriber_gid, "SubscriberGID",   0, 128, "who is told")                                     \
    field(std::uint16_t, enumeration,    "Enum",          128,  16, "number among the subscriber's subscriptions")     \
    field(inform_info,   info,           "InformInfo",    192, 288, "what it is told")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(inform_info_record, "InformInfoRecord", 0x00F3,
    attribute_scope{management_class::subnet_administration}, 60, MADRIGAL_INFORM_INFO_RECORD);
} // namespace madrigal
