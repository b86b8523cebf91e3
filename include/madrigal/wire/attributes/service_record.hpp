// ServiceRecord (IBA 15.2.5.14) and ServiceAssociationRecord (15.2.5.15): who offers a service.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <array>
#include <cstdint>

namespace madrigal {
/// Data of a service, in elements of each size: what they mean is between the service and its clients.
using service_data8 = std::array<std::uint8_t, 16>;
using service_data16 = std::array<std::uint16_t, 8>;
using service_data32 = std::array<std::uint32_t, 4>;
using service_data64 = std::array<std::uint64_t, 2>;
/// ServiceLease of a service that stays until it is deleted.
inline constexpr std::uint32_t indefinite_lease = 0xFFFF'FFFF;
} // namespace madrigal

// clang-format off
#define MADRIGAL_SERVICE_RECORD(field)                                                                                 \
    field(std::uint64_t, service_id, "ServiceID", 0, 64, "the service", hexadecimal)                                   \
    field(gid, service_gid, "ServiceGID", 64, 128, "port where it is")                                                 \
    field(std::uint16_t, service_p_key, "ServiceP_Key", 192, 16, "partition for which it is", hexadecimal)             \
    field(std::uint32_t, service_lease, "ServiceLease", 224, 32,                                                       \
        "seconds until it is forgotten, 4294967295 for never")                                                         \
    field(raw_bytes<16>, service_key, "ServiceKey", 256, 128, "key of who may change it")                              \
    field(fixed_text<64>, service_name, "ServiceName", 384, 512, "UTF-8 name")                                         \
    field(service_data8, data8, "ServiceData8", 896, 8, "the service's own bytes")                                     \
    field(service_data16, data16, "ServiceData16", 1024, 16, "the service's own numbers")                              \
    field(service_data32, data32, "ServiceData32", 1152, 32, "the service's own numbers")                              \
    field(service_data64, data64, "ServiceData64", 1280, 64, "the service's own numbers")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(service_record, "ServiceRecord", 0x0031, attribute_scope{management_class::subnet_administration},
    176, MADRIGAL_SERVICE_RECORD);
} // namespace madrigal

// clang-format off
#define MADRIGAL_SERVICE_ASSOCIATION_RECORD(field)                                                                     \
    field(raw_bytes<16>,  service_key,  "ServiceKey",    0, 128, "key of the service")                                 \
    field(fixed_text<64>, service_name, "ServiceName", 128, 512, "its name")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(service_association_record, "ServiceAssociationRecord", 0x003B,
    attribute_scope{management_class::subnet_administration}, 80, MADRIGAL_SERVICE_ASSOCIATION_RECORD);
} // namespace madrigal
