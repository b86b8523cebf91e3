// Names of communication management (IBA 12.6 to 12.11).
#pragma once

#include <cstdint>
#include <string>

namespace madrigal {

/// The message that an MRA or a REJ is about (IBA 12.6.6, 12.6.7).
enum class cm_message : std::uint8_t {
    req = 0,
    rep = 1,
    other = 2, ///< LAP for an MRA, none of the two for a REJ
};

/// REJ.Reason (IBA 12.6.7.2).
enum class cm_reject_reason : std::uint16_t {
    no_qp = 1,
    no_eec = 2,
    no_resources = 3,
    timeout = 4,
    unsupported_request = 5,
    invalid_communication_id = 6,
    invalid_communication_instance = 7,
    invalid_service_id = 8,
    invalid_transport = 9,
    stale_connection = 10,
    no_reliable_datagram_channel = 11,
    invalid_gid = 12,
    invalid_lid = 13,
    invalid_service_level = 14,
    invalid_traffic_class = 15,
    invalid_hop_limit = 16,
    invalid_packet_rate = 17,
    invalid_alternate_gid = 18,
    invalid_alternate_lid = 19,
    invalid_alternate_service_level = 20,
    invalid_alternate_traffic_class = 21,
    invalid_alternate_hop_limit = 22,
    invalid_alternate_packet_rate = 23,
    port_redirect = 24,
    cm_redirect = 25,
    invalid_mtu = 26,
    no_responder_resources = 27,
    consumer = 28, ///< the program refuses
    invalid_rnr_retry_count = 29,
    duplicate_local_communication_id = 30,
    invalid_class_version = 31,
    invalid_flow_label = 32,
    invalid_alternate_flow_label = 33,
};

/// APR.APStatus (IBA 12.8.2.1).
enum class cm_path_status : std::uint8_t {
    loaded = 0,
    invalid_communication_id = 1,
    unsupported = 2,
    rejected = 3,
    redirect = 4,
    duplicate = 5,
    mismatch = 6,
    invalid_lid = 7,
    invalid_gid = 8,
    invalid_flow_label = 9,
    invalid_traffic_class = 10,
    invalid_hop_limit = 11,
    invalid_packet_rate = 12,
    invalid_service_level = 13,
};

/// SIDR_REP.Status (IBA 12.11.2.1).
enum class cm_sidr_status : std::uint8_t {
    valid = 0,
    unsupported_service_id = 1,
    rejected = 2,
    no_qp = 3,
    redirect = 4,
    unsupported_version = 5,
};

/// `REQ`, `REP`, `Other`; a number for anything else.
[[nodiscard]] std::string to_string(cm_message value);
/// `8: invalid service id`; the number alone for anything else.
[[nodiscard]] std::string to_string(cm_reject_reason value);
/// `0: alternate path loaded`; the number alone for anything else.
[[nodiscard]] std::string to_string(cm_path_status value);
/// `0: valid`; the number alone for anything else.
[[nodiscard]] std::string to_string(cm_sidr_status value);

} // namespace madrigal
