// REJ and MRA (IBA 12.6.6, 12.6.7): a connection refused, or a message that will be answered later.
#pragma once

#include <madrigal/wire/communication.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/transport.hpp>

// clang-format off
#define MADRIGAL_CM_MRA(field)                                                                                         \
    field(std::uint32_t, local_communication_id, "LocalCommunicationID", 0, 32,                                        \
        "sender's number of the connection", hexadecimal)                                                              \
    field(std::uint32_t, remote_communication_id, "RemoteCommunicationID", 32, 32,                                     \
        "receiver's number of it", hexadecimal)                                                                        \
    field(cm_message, message, "MessageMRAed", 64, 2, "what will be answered later")                                   \
    field(std::uint8_t, service_timeout, "ServiceTimeout", 72, 5, "how much later: 4.096 us times 2 to this power")    \
    field(raw_bytes<222>, private_data, "PrivateData", 80, 1776, "the programs' own")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(cm_mra, "MRA", 0x0011, attribute_scope{management_class::communication}, 232, MADRIGAL_CM_MRA);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CM_REJ(field)                                                                                         \
    field(std::uint32_t, local_communication_id, "LocalCommunicationID", 0, 32,                                        \
        "sender's number of the connection", hexadecimal)                                                              \
    field(std::uint32_t, remote_communication_id, "RemoteCommunicationID", 32, 32,                                     \
        "receiver's number of it", hexadecimal)                                                                        \
    field(cm_message, message, "MessageREJected", 64, 2, "what is refused")                                            \
    field(std::uint8_t, reject_info_length, "RejectInfoLength", 72, 7, "bytes of information that count")              \
    field(cm_reject_reason, reason, "Reason", 80, 16, "why")                                                           \
    field(raw_bytes<72>, reject_info, "ARI", 96, 576, "what would have been accepted")                                 \
    field(raw_bytes<148>, private_data, "PrivateData", 672, 1184, "the programs' own")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(cm_rej, "REJ", 0x0012, attribute_scope{management_class::communication}, 232, MADRIGAL_CM_REJ);
} // namespace madrigal
