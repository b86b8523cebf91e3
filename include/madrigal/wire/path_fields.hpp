// Enumerations of the records of paths and multicast groups (IBA 15.2.5.16, 15.2.5.17, 15.2.5.20).
#pragma once

#include <cstdint>
#include <string>

namespace madrigal {

/// How MTU, rate or life time of what is found shall compare with that of the query.
enum class selector : std::uint8_t {
    greater = 0,
    less = 1,
    exactly = 2,
    best = 3, ///< the largest MTU or rate, the shortest life time; the value of the query does not count
};

/// A rate as SA records write it, named by Gb/s.
enum class path_rate : std::uint8_t {
    gbps_2_5 = 2,
    gbps_10 = 3,
    gbps_30 = 4,
    gbps_5 = 5,
    gbps_20 = 6,
    gbps_40 = 7,
    gbps_60 = 8,
    gbps_80 = 9,
    gbps_120 = 10,
    gbps_14 = 11,
    gbps_56 = 12,
    gbps_112 = 13,
    gbps_168 = 14,
    gbps_25 = 15,
    gbps_100 = 16,
    gbps_200 = 17,
    gbps_300 = 18,
    gbps_28 = 19,
    gbps_50 = 20,
    gbps_400 = 21,
    gbps_600 = 22,
    gbps_800 = 23,
    gbps_1200 = 24,
};

/// MultiPathRecord.IndependenceSelector.
enum class independence : std::uint8_t {
    any = 0,
    independent = 1, ///< as few shared parts as there can be
};

/// How far a multicast group reaches (IBA 4.1.1): a part of its GID too.
enum class multicast_scope : std::uint8_t {
    link_local = 0x2,
    site_local = 0x5,
    organization_local = 0x8,
    global = 0xE,
};

/// A bit of MCMemberRecord.JoinState.
enum class join_state : std::uint8_t {
    full_member = 1U << 0,
    non_member = 1U << 1,
    send_only_non_member = 1U << 2,
    send_only_full_member = 1U << 3,
};

/// `Greater`, `Less`, `Exactly`, `Best`; a number for anything else.
[[nodiscard]] std::string to_string(selector value);
/// `2.5` … `1200`, in Gb/s; `?(N)` for anything else.
[[nodiscard]] std::string to_string(path_rate value);
/// `Any`, `Independent`; a number for anything else.
[[nodiscard]] std::string to_string(independence value);
/// `LinkLocal`, `SiteLocal`, `OrganizationLocal`, `Global`; a number for anything else.
[[nodiscard]] std::string to_string(multicast_scope value);
/// `FullMember`, `NonMember`, `SendOnlyNonMember`, `SendOnlyFullMember`; a hexadecimal number for a bit without a name.
[[nodiscard]] std::string to_string(join_state value);

} // namespace madrigal
