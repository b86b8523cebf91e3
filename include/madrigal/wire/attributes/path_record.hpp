// PathRecord (IBA 15.2.5.16): a way from one port to another.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/path_fields.hpp>
#include <madrigal/wire/port_fields.hpp>

// clang-format off
#define MADRIGAL_PATH_RECORD(field)                                                                                    \
    field(std::uint64_t, service_id, "ServiceID", 0, 64,                                                               \
        "service at its end, which decides the quality of service", hexadecimal)                                       \
    field(gid, dgid, "DGID", 64, 128, "destination")                                                                   \
    field(gid, sgid, "SGID", 192, 128, "source")                                                                       \
    field(lid, dlid, "DLID", 320, 16, "destination")                                                                   \
    field(lid, slid, "SLID", 336, 16, "source")                                                                        \
    field(bool, raw_traffic, "RawTraffic", 352, 1, "for raw packets")                                                  \
    field(std::uint32_t, flow_label, "FlowLabel", 356, 20, "flow label", hexadecimal)                                  \
    field(std::uint8_t, hop_limit, "HopLimit", 376, 8, "hop limit")                                                    \
    field(std::uint8_t, traffic_class, "TClass", 384, 8, "traffic class", hexadecimal)                                 \
    field(bool, reversible, "Reversible", 392, 1, "packets can go back the same way")                                  \
    field(std::uint8_t, numb_path, "NumbPath", 393, 7, "most paths wanted")                                            \
    field(std::uint16_t, p_key, "P_Key", 400, 16, "partition key", hexadecimal)                                        \
    field(std::uint16_t, qos_class, "QoSClass", 416, 12, "class of service")                                           \
    field(std::uint8_t, service_level, "SL", 428, 4, "service level")                                                  \
    field(selector, mtu_selector, "MtuSelector", 432, 2, "how the MTU compares")                                       \
    field(mtu, path_mtu, "Mtu", 434, 6, "MTU")                                                                         \
    field(selector, rate_selector, "RateSelector", 440, 2, "how the rate compares")                                    \
    field(path_rate, rate, "Rate", 442, 6, "rate in Gb/s")                                                             \
    field(selector, packet_life_time_selector, "PacketLifeTimeSelector", 448, 2, "how the life time compares")         \
    field(std::uint8_t, packet_life_time, "PacketLifeTime", 450, 6, "longest way: 4.096 us times 2 to this power")     \
    field(std::uint8_t, preference, "Preference", 456, 8, "0 for the best")                                            \
    field(std::uint8_t, reverse_path_p_key_member_bit, "ReversePathPKeyMemberBit", 464, 2,                             \
        "membership on the way back")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(path_record, "PathRecord", 0x0035, attribute_scope{management_class::subnet_administration}, 64,
    MADRIGAL_PATH_RECORD);
} // namespace madrigal
