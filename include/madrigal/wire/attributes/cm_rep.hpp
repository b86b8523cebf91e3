// REP (IBA 12.6.8): the answer to a request for a connection.
#pragma once

#include <madrigal/wire/communication.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/transport.hpp>

// clang-format off
#define MADRIGAL_CM_REP(field)                                                                                         \
    field(std::uint32_t, local_communication_id, "LocalCommunicationID", 0, 32,                                        \
        "sender's number of the connection", hexadecimal)                                                              \
    field(std::uint32_t, remote_communication_id, "RemoteCommunicationID", 32, 32,                                     \
        "receiver's number of it", hexadecimal)                                                                        \
    field(std::uint32_t, local_q_key, "LocalQ_Key", 64, 32, "queue key, for datagrams", hexadecimal)                   \
    field(std::uint32_t, local_qpn, "LocalQPN", 96, 24, "queue pair of the sender", hexadecimal)                       \
    field(std::uint32_t, local_eecn, "LocalEEContextNumber", 128, 24, "end-to-end context", hexadecimal)               \
    field(std::uint32_t, starting_psn, "StartingPSN", 160, 24, "first packet number of the receiver", hexadecimal)     \
    field(std::uint8_t, responder_resources, "ResponderResources", 192, 8,                                             \
        "RDMA reads that the sender can answer at a time")                                                             \
    field(std::uint8_t, initiator_depth, "InitiatorDepth", 200, 8, "RDMA reads that the sender has on the way")        \
    field(std::uint8_t, target_ack_delay, "TargetACKDelay", 208, 5, "4.096 us times 2 to this power")                  \
    field(std::uint8_t, failover_accepted, "FailoverAccepted", 213, 2, "0 if the alternate path was accepted")         \
    field(bool, end_to_end_flow_control, "EndToEndFlowControl", 215, 1, "the sender keeps it")                         \
    field(std::uint8_t, rnr_retry_count, "RNRRetryCount", 216, 3,                                                      \
        "retries for a receiver that is not ready, 7 for ever")                                                        \
    field(bool, shared_receive_queue, "SRQ", 219, 1, "the queue pair has a shared receive queue")                      \
    field(guid, local_ca_guid, "LocalCAGUID", 224, 64, "CA of the sender")                                             \
    field(raw_bytes<196>, private_data, "PrivateData", 288, 1568, "the programs' own")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(cm_rep, "REP", 0x0013, attribute_scope{management_class::communication}, 232, MADRIGAL_CM_REP);
} // namespace madrigal
