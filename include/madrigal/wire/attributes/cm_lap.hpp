// LAP and APR (IBA 12.8.1, 12.8.2): another path for a connection.
#pragma once

#include <madrigal/wire/communication.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/transport.hpp>

// clang-format off
#define MADRIGAL_CM_LAP(field)                                                                                         \
    field(std::uint32_t, local_communication_id, "LocalCommunicationID", 0, 32,                                        \
        "sender's number of the connection", hexadecimal)                                                              \
    field(std::uint32_t, remote_communication_id, "RemoteCommunicationID", 32, 32,                                     \
        "receiver's number of it", hexadecimal)                                                                        \
    field(std::uint32_t, remote_qpn, "RemoteQPN", 96, 24, "queue pair of the receiver", hexadecimal)                   \
    field(std::uint8_t, remote_response_timeout, "RemoteCMResponseTimeout", 120, 5, "4.096 us times 2 to this power")  \
    field(lid, alternate_local_lid, "AlternateLocalPortLID", 160, 16, "LID of the sender")                             \
    field(lid, alternate_remote_lid, "AlternateRemotePortLID", 176, 16, "LID of the receiver")                         \
    field(gid, alternate_local_gid, "AlternateLocalPortGID", 192, 128, "GID of the sender")                            \
    field(gid, alternate_remote_gid, "AlternateRemotePortGID", 320, 128, "GID of the receiver")                        \
    field(std::uint32_t, alternate_flow_label, "AlternateFlowLabel", 448, 20, "flow label", hexadecimal)               \
    field(std::uint8_t, alternate_traffic_class, "AlternateTrafficClass", 472, 8, "traffic class", hexadecimal)        \
    field(std::uint8_t, alternate_hop_limit, "AlternateHopLimit", 480, 8, "hop limit")                                 \
    field(std::uint8_t, alternate_packet_rate, "AlternatePacketRate", 490, 6, "rate, as in PathRecord")                \
    field(std::uint8_t, alternate_service_level, "AlternateSL", 496, 4, "service level")                               \
    field(bool, alternate_subnet_local, "AlternateSubnetLocal", 500, 1, "the way stays in the subnet")                 \
    field(std::uint8_t, alternate_ack_timeout, "AlternateLocalACKTimeout", 504, 5, "4.096 us times 2 to this power")   \
    field(raw_bytes<168>, private_data, "PrivateData", 512, 1344, "the programs' own")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(cm_lap, "LAP", 0x0019, attribute_scope{management_class::communication}, 232, MADRIGAL_CM_LAP);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CM_APR(field)                                                                                         \
    field(std::uint32_t, local_communication_id, "LocalCommunicationID", 0, 32,                                        \
        "sender's number of the connection", hexadecimal)                                                              \
    field(std::uint32_t, remote_communication_id, "RemoteCommunicationID", 32, 32,                                     \
        "receiver's number of it", hexadecimal)                                                                        \
    field(std::uint8_t, info_length, "AdditionalInfoLength", 64, 8, "bytes of information that count")                 \
    field(cm_path_status, status, "APStatus", 72, 8, "outcome")                                                        \
    field(raw_bytes<72>, info, "AdditionalInfo", 96, 576, "what would have been accepted")                             \
    field(raw_bytes<148>, private_data, "PrivateData", 672, 1184, "the programs' own")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(cm_apr, "APR", 0x001A, attribute_scope{management_class::communication}, 232, MADRIGAL_CM_APR);
} // namespace madrigal
