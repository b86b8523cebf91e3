// MCMemberRecord (IBA 15.2.5.17): a multicast group, or a member of it.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/path_fields.hpp>
#include <madrigal/wire/port_fields.hpp>

// clang-format off
#define MADRIGAL_MC_MEMBER_RECORD(field)                                                                               \
    field(gid, mgid, "MGID", 0, 128, "the group")                                                                      \
    field(gid, port_gid, "PortGID", 128, 128, "the member")                                                            \
    field(std::uint32_t, q_key, "Q_Key", 256, 32, "queue key of the group", hexadecimal)                               \
    field(lid, mlid, "MLID", 288, 16, "LID of the group")                                                              \
    field(selector, mtu_selector, "MTUSelector", 304, 2, "how the MTU compares")                                       \
    field(mtu, group_mtu, "MTU", 306, 6, "MTU of the group")                                                           \
    field(std::uint8_t, traffic_class, "TClass", 312, 8, "traffic class", hexadecimal)                                 \
    field(std::uint16_t, p_key, "P_Key", 320, 16, "partition key", hexadecimal)                                        \
    field(selector, rate_selector, "RateSelector", 336, 2, "how the rate compares")                                    \
    field(path_rate, rate, "Rate", 338, 6, "rate in Gb/s")                                                             \
    field(selector, packet_life_time_selector, "PacketLifeTimeSelector", 344, 2, "how the life time compares")         \
    field(std::uint8_t, packet_life_time, "PacketLifeTime", 346, 6, "longest way: 4.096 us times 2 to this power")     \
    field(std::uint8_t, service_level, "SL", 352, 4, "service level")                                                  \
    field(std::uint32_t, flow_label, "FlowLabel", 356, 20, "flow label", hexadecimal)                                  \
    field(std::uint8_t, hop_limit, "HopLimit", 376, 8, "hop limit")                                                    \
    field(multicast_scope, scope, "Scope", 384, 4, "how far the group reaches")                                        \
    field(flags<join_state>, join_states, "JoinState", 388, 4, "how it is a member")                                   \
    field(bool, proxy_join, "ProxyJoin", 392, 1, "someone else of its partition joined it")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(mc_member_record, "MCMemberRecord", 0x0038, attribute_scope{management_class::subnet_administration},
    52, MADRIGAL_MC_MEMBER_RECORD);
} // namespace madrigal
