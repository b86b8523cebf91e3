// REQ (IBA 12.6.5): the request for a connection.
#pragma once

#include <madrigal/wire/communication.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/port_fields.hpp>
#include <madrigal/wire/transport.hpp>

// clang-format off
#define MADRIGAL_CM_REQ(field)                                                                                         \
    field(std::uint32_t, local_communication_id, "LocalCommunicationID", 0, 32,                                        \
        "sender's number of the connection", hexadecimal)                                                              \
    field(std::uint64_t, service_id, "ServiceID", 64, 64, "service wanted", hexadecimal)                               \
    field(guid, local_ca_guid, "LocalCAGUID", 128, 64, "CA of the sender")                                             \
    field(std::uint32_t, local_q_key, "LocalQ_Key", 224, 32, "queue key, for datagrams", hexadecimal)                  \
    field(std::uint32_t, local_qpn, "LocalQPN", 256, 24, "queue pair of the sender", hexadecimal)                      \
    field(std::uint8_t, responder_resources, "ResponderResources", 280, 8,                                             \
        "RDMA reads that the sender can answer at a time")                                                             \
    field(std::uint32_t, local_eecn, "LocalEECN", 288, 24, "end-to-end context", hexadecimal)                          \
    field(std::uint8_t, initiator_depth, "InitiatorDepth", 312, 8, "RDMA reads that the sender has on the way")        \
    field(std::uint32_t, remote_eecn, "RemoteEECN", 320, 24, "end-to-end context", hexadecimal)                        \
    field(std::uint8_t, remote_response_timeout, "RemoteCMResponseTimeout", 344, 5, "4.096 us times 2 to this power")  \
    field(transport_service, transport, "TransportServiceType", 349, 2,                                                \
        "kind of connection; UD where ExtendedTransportType tells it")                                                 \
    field(bool, end_to_end_flow_control, "EndToEndFlowControl", 351, 1, "the sender keeps it")                         \
    field(std::uint32_t, starting_psn, "StartingPSN", 352, 24, "first packet number of the receiver", hexadecimal)     \
    field(std::uint8_t, local_response_timeout, "LocalCMResponseTimeout", 376, 5, "4.096 us times 2 to this power")    \
    field(std::uint8_t, retry_count, "RetryCount", 381, 3, "retries of the transport")                                 \
    field(std::uint16_t, p_key, "PartitionKey", 384, 16, "partition key", hexadecimal)                                 \
    field(mtu, path_mtu, "PathPacketPayloadMTU", 400, 4, "MTU")                                                        \
    field(bool, rdc_exists, "RDCExists", 404, 1, "the reliable datagram channel exists")                               \
    field(std::uint8_t, rnr_retry_count, "RNRRetryCount", 405, 3,                                                      \
        "retries for a receiver that is not ready, 7 for ever")                                                        \
    field(std::uint8_t, max_cm_retries, "MaxCMRetries", 408, 4, "retries of this message")                             \
    field(bool, shared_receive_queue, "SRQ", 412, 1, "the queue pair has a shared receive queue")                      \
    field(std::uint8_t, extended_transport, "ExtendedTransportType", 413, 3, "1 for XRC")                              \
    field(lid, primary_local_lid, "PrimaryLocalPortLID", 416, 16, "LID of the sender")                                 \
    field(lid, primary_remote_lid, "PrimaryRemotePortLID", 432, 16, "LID of the receiver")                             \
    field(gid, primary_local_gid, "PrimaryLocalPortGID", 448, 128, "GID of the sender")                                \
    field(gid, primary_remote_gid, "PrimaryRemotePortGID", 576, 128, "GID of the receiver")                            \
    field(std::uint32_t, primary_flow_label, "PrimaryFlowLabel", 704, 20, "flow label", hexadecimal)                   \
    field(std::uint8_t, primary_packet_rate, "PrimaryPacketRate", 730, 6, "rate, as in PathRecord")                    \
    field(std::uint8_t, primary_traffic_class, "PrimaryTrafficClass", 736, 8, "traffic class", hexadecimal)            \
    field(std::uint8_t, primary_hop_limit, "PrimaryHopLimit", 744, 8, "hop limit")                                     \
    field(std::uint8_t, primary_service_level, "PrimarySL", 752, 4, "service level")                                   \
    field(bool, primary_subnet_local, "PrimarySubnetLocal", 756, 1, "the way stays in the subnet")                     \
    field(std::uint8_t, primary_ack_timeout, "PrimaryLocalACKTimeout", 760, 5, "4.096 us times 2 to this power")       \
    field(lid, alternate_local_lid, "AlternateLocalPortLID", 768, 16, "LID of the sender")                             \
    field(lid, alternate_remote_lid, "AlternateRemotePortLID", 784, 16, "LID of the receiver")                         \
    field(gid, alternate_local_gid, "AlternateLocalPortGID", 800, 128, "GID of the sender")                            \
    field(gid, alternate_remote_gid, "AlternateRemotePortGID", 928, 128, "GID of the receiver")                        \
    field(std::uint32_t, alternate_flow_label, "AlternateFlowLabel", 1056, 20, "flow label", hexadecimal)              \
    field(std::uint8_t, alternate_packet_rate, "AlternatePacketRate", 1082, 6, "rate, as in PathRecord")               \
    field(std::uint8_t, alternate_traffic_class, "AlternateTrafficClass", 1088, 8, "traffic class", hexadecimal)       \
    field(std::uint8_t, alternate_hop_limit, "AlternateHopLimit", 1096, 8, "hop limit")                                \
    field(std::uint8_t, alternate_service_level, "AlternateSL", 1104, 4, "service level")                              \
    field(bool, alternate_subnet_local, "AlternateSubnetLocal", 1108, 1, "the way stays in the subnet")                \
    field(std::uint8_t, alternate_ack_timeout, "AlternateLocalACKTimeout", 1112, 5, "4.096 us times 2 to this power")  \
    field(raw_bytes<92>, private_data, "PrivateData", 1120, 736, "the programs' own")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(cm_req, "REQ", 0x0010, attribute_scope{management_class::communication}, 232, MADRIGAL_CM_REQ);
} // namespace madrigal
