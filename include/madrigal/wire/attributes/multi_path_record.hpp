// MultiPathRecord (IBA 15.2.5.20): a request for ways between many ports. The GIDs follow the structure, the sources
// first.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/path_fields.hpp>
#include <madrigal/wire/port_fields.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

// clang-format off
#define MADRIGAL_MULTI_PATH_RECORD(field)                                                                              \
    field(bool, raw_traffic, "RawTraffic", 0, 1, "for raw packets")                                                    \
    field(std::uint32_t, flow_label, "FlowLabel", 4, 20, "flow label", hexadecimal)                                    \
    field(std::uint8_t, hop_limit, "HopLimit", 24, 8, "hop limit")                                                     \
    field(std::uint8_t, traffic_class, "TClass", 32, 8, "traffic class", hexadecimal)                                  \
    field(bool, reversible, "Reversible", 40, 1, "packets can go back the same way")                                   \
    field(std::uint8_t, numb_path, "NumbPath", 41, 7, "most paths wanted of each pair")                                \
    field(std::uint16_t, p_key, "P_Key", 48, 16, "partition key", hexadecimal)                                         \
    field(std::uint16_t, qos_class, "QoSClass", 64, 12, "class of service")                                            \
    field(std::uint8_t, service_level, "SL", 76, 4, "service level")                                                   \
    field(selector, mtu_selector, "MtuSelector", 80, 2, "how the MTU compares")                                        \
    field(mtu, path_mtu, "Mtu", 82, 6, "MTU")                                                                          \
    field(selector, rate_selector, "RateSelector", 88, 2, "how the rate compares")                                     \
    field(path_rate, rate, "Rate", 90, 6, "rate in Gb/s")                                                              \
    field(selector, packet_life_time_selector, "PacketLifeTimeSelector", 96, 2, "how the life time compares")          \
    field(std::uint8_t, packet_life_time, "PacketLifeTime", 98, 6, "longest way: 4.096 us times 2 to this power")      \
    field(std::uint8_t, service_id_8msb, "ServiceID8MSB", 104, 8, "top byte of the service at the end", hexadecimal)   \
    field(independence, independence_selector, "IndependenceSelector", 112, 2, "how independent the ways are to be")   \
    field(std::uint8_t, sgid_count, "SGIDCount", 120, 8, "sources that follow")                                        \
    field(std::uint8_t, dgid_count, "DGIDCount", 128, 8, "destinations that follow them")                              \
    field(std::uint64_t, service_id_56lsb, "ServiceID56LSB", 136, 56, "the rest of the service", hexadecimal)
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(multi_path_record, "MultiPathRecord", 0x003A,
    attribute_scope{management_class::subnet_administration}, 24, MADRIGAL_MULTI_PATH_RECORD);

/// How many GIDs fit behind the structure in the 200 bytes of data of one MAD.
inline constexpr std::size_t multi_path_gids_per_mad = 11;

/// The GID at a place behind the structure, from 0; nothing where `record` ends before its end. `record` begins with
/// the structure and is as long as what arrived.
[[nodiscard]] std::optional<gid> multi_path_gid(std::span<std::byte const> record, std::size_t place) noexcept;
/// Writes a GID to its place behind the structure; false, with nothing written, where `record` is too short.
[[nodiscard]] bool put_multi_path_gid(std::span<std::byte> record, std::size_t place, gid const& value) noexcept;

} // namespace madrigal
