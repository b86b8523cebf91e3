// RTU, DREQ and DREP (IBA 12.6.9 to 12.6.11): a connection begins, and ends.
#pragma once

#include <madrigal/wire/communication.hpp>
#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/transport.hpp>

// clang-format off
#define MADRIGAL_CM_RTU(field)                                                                                         \
    field(std::uint32_t, local_communication_id, "LocalCommunicationID", 0, 32,                                        \
        "sender's number of the connection", hexadecimal)                                                              \
    field(std::uint32_t, remote_communication_id, "RemoteCommunicationID", 32, 32,                                     \
        "receiver's number of it", hexadecimal)                                                                        \
    field(raw_bytes<224>, private_data, "PrivateData", 64, 1792, "the programs' own")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(cm_rtu, "RTU", 0x0014, attribute_scope{management_class::communication}, 232, MADRIGAL_CM_RTU);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CM_DREQ(field)                                                                                        \
    field(std::uint32_t, local_communication_id, "LocalCommunicationID", 0, 32,                                        \
        "sender's number of the connection", hexadecimal)                                                              \
    field(std::uint32_t, remote_communication_id, "RemoteCommunicationID", 32, 32,                                     \
        "receiver's number of it", hexadecimal)                                                                        \
    field(std::uint32_t, remote_qpn, "RemoteQPN", 64, 24, "queue pair of the receiver", hexadecimal)                   \
    field(raw_bytes<220>, private_data, "PrivateData", 96, 1760, "the programs' own")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(cm_dreq, "DREQ", 0x0015, attribute_scope{management_class::communication}, 232, MADRIGAL_CM_DREQ);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CM_DREP(field)                                                                                        \
    field(std::uint32_t, local_communication_id, "LocalCommunicationID", 0, 32,                                        \
        "sender's number of the connection", hexadecimal)                                                              \
    field(std::uint32_t, remote_communication_id, "RemoteCommunicationID", 32, 32,                                     \
        "receiver's number of it", hexadecimal)                                                                        \
    field(raw_bytes<224>, private_data, "PrivateData", 64, 1792, "the programs' own")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(cm_drep, "DREP", 0x0016, attribute_scope{management_class::communication}, 232, MADRIGAL_CM_DREP);
} // namespace madrigal
