// CongestionLog (IBA A10.4.3): what a node remembers of congestion. The first byte tells the log of a switch from that
// of a CA. It begins at byte 32 of the MAD, where no other attribute of the class does.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/transport.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace madrigal {

/// CongestionLog.LogType.
enum class congestion_log_type : std::uint8_t {
    switch_ = 1,
    ca = 2,
};
/// `Switch`, `CA`; a number for anything else.
[[nodiscard]] std::string to_string(congestion_log_type value);

} // namespace madrigal

// clang-format off
#define MADRIGAL_CONGESTION_LOG(field)                                                                                 \
    field(congestion_log_type, type, "LogType", 0, 8, "switch or CA")                                                  \
    field(std::uint8_t, flags_of_congestion, "CongestionFlags", 8, 8, "bit 0: starved of credit", hexadecimal)         \
    field(std::uint16_t, event_counter, "EventCounter", 16, 16, "events since the last log")
// clang-format on

namespace madrigal {
/// What both logs begin with. `find_attribute` for a MAD finds the one or the other of those below.
MADRIGAL_ATTRIBUTE(
    congestion_log, "CongestionLog", 0x0013, attribute_scope{management_class::congestion}, 4, MADRIGAL_CONGESTION_LOG);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CONGESTION_SWITCH_ENTRY(field)                                                                        \
    field(lid,           slid,          "SLID",       0, 16, "source of the packet")                                   \
    field(lid,           dlid,          "DLID",      16, 16, "its destination")                                        \
    field(std::uint8_t,  service_level, "SL",        32,  4, "its service level")                                      \
    field(std::uint32_t, timestamp,     "Timestamp", 64, 32, "when, in steps of 1.024 us")
// clang-format on

namespace madrigal {
/// An event that a switch saw.
MADRIGAL_LAYOUT(congestion_switch_entry, "CongestionLogEntrySwitch", 12, MADRIGAL_CONGESTION_SWITCH_ENTRY);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CONGESTION_CA_ENTRY(field)                                                                            \
    field(std::uint32_t, local_qp, "Local_QP_CN_Entry", 0, 24,                                                         \
        "queue pair, 0 for a port that passed its threshold", hexadecimal)                                             \
    field(std::uint32_t, remote_qp, "Remote_QP_Number_CN_Entry", 32, 24,                                               \
        "queue pair at the other end, 0 for datagrams", hexadecimal)                                                   \
    field(std::uint8_t, service_level, "SL_CN_Entry", 56, 4, "service level")                                          \
    field(transport_service, service_type, "Service_Type_CN_Entry", 60, 4, "kind of queue pair")                       \
    field(lid, remote_lid, "Remote_LID_CN_Entry", 64, 16, "the other end, 0 for datagrams")                            \
    field(std::uint32_t, timestamp, "Timestamp_CN_Entry", 96, 32, "when, in steps of 1.024 us")
// clang-format on

namespace madrigal {
/// An event that a CA saw.
MADRIGAL_LAYOUT(congestion_ca_entry, "CongestionLogEntryCA", 16, MADRIGAL_CONGESTION_CA_ENTRY);

using congestion_switch_entries = std::array<congestion_switch_entry, 15>;
using congestion_ca_entries = std::array<congestion_ca_entry, 13>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_CONGESTION_LOG_SWITCH(field)                                                                          \
    field(congestion_log_type, type, "LogType", 0, 8, "switch")                                                        \
    field(std::uint8_t, flags_of_congestion, "CongestionFlags", 8, 8, "bit 0: starved of credit", hexadecimal)         \
    field(std::uint16_t, log_events_counter, "LogEventsCounter", 16, 16, "events since the last log")                  \
    field(std::uint32_t, current_timestamp, "CurrentTimeStamp", 32, 32, "now, in steps of 1.024 us")                   \
    field(raw_bytes<32>, port_map, "PortMap", 64, 256, "bit of each port that marked packets, port 0 the last")        \
    field(congestion_switch_entries, entries, "Entry", 320, 96, "the newest events")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(
    congestion_log_switch, "CongestionLogSwitch", 0x0013, attribute_scope{}, 220, MADRIGAL_CONGESTION_LOG_SWITCH);
} // namespace madrigal

// clang-format off
#define MADRIGAL_CONGESTION_LOG_CA(field)                                                                              \
    field(congestion_log_type, type, "LogType", 0, 8, "CA")                                                            \
    field(std::uint8_t, flags_of_congestion, "CongestionFlags", 8, 8, "bit 0: starved of credit", hexadecimal)         \
    field(std::uint16_t, threshold_event_counter, "ThresholdEventCounter", 16, 16,                                     \
        "times a threshold was passed since the last log")                                                             \
    field(std::uint16_t, threshold_event_map, "ThresholdCongestionEventMap", 32, 16,                                   \
        "bit of each service level that passed it", hexadecimal)                                                       \
    field(std::uint32_t, current_timestamp, "CurrentTimeStamp", 64, 32, "now, in steps of 1.024 us")                   \
    field(congestion_ca_entries, entries, "Entry", 96, 128, "the newest events")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(congestion_log_ca, "CongestionLogCA", 0x0013, attribute_scope{}, 220, MADRIGAL_CONGESTION_LOG_CA);
} // namespace madrigal
