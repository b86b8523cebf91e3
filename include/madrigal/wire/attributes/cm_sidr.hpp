// SIDR_REQ and SIDR_REP (IBA 12.11.1, 12.11.2): which queue pair of datagrams offers a service.
#pragma once

#include <madrigal/wire/communication.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/transport.hpp>

// clang-format off
#define MADRIGAL_CM_SIDR_REQ(field)                                                                                    \
    field(std::uint32_t,  request_id,   "RequestID",      0,   32, "pairs the answer with the request", hexadecimal)   \
    field(std::uint16_t,  p_key,        "PartitionKey",  32,   16, "partition key", hexadecimal)                       \
    field(std::uint64_t,  service_id,   "ServiceID",     64,   64, "service wanted", hexadecimal)                      \
    field(raw_bytes<216>, private_data, "PrivateData",  128, 1728, "the programs' own")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(
    cm_sidr_req, "SIDR_REQ", 0x0017, attribute_scope{management_class::communication}, 232, MADRIGAL_CM_SIDR_REQ);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CM_SIDR_REP(field)                                                                                    \
    field(std::uint32_t, request_id, "RequestID", 0, 32, "that of the request", hexadecimal)                           \
    field(cm_sidr_status, status, "Status", 32, 8, "outcome")                                                          \
    field(std::uint8_t, info_length, "AdditionalInfoLength", 40, 8, "bytes of information that count")                 \
    field(std::uint32_t, qpn, "QPN", 64, 24, "queue pair that offers it", hexadecimal)                                 \
    field(std::uint64_t, service_id, "ServiceID", 96, 64, "service wanted", hexadecimal)                               \
    field(std::uint32_t, q_key, "Q_Key", 160, 32, "key of that queue pair", hexadecimal)                               \
    field(raw_bytes<72>, info, "AdditionalInfo", 192, 576, "a ClassPortInfo that tells where to ask instead")          \
    field(raw_bytes<136>, private_data, "PrivateData", 768, 1088, "the programs' own")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(
    cm_sidr_rep, "SIDR_REP", 0x0018, attribute_scope{management_class::communication}, 232, MADRIGAL_CM_SIDR_REP);
} // namespace madrigal
