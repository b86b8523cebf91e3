// Multicast groups and who has joined them, as subnet administration keeps them (MCMemberRecord, IBA 15.2.5.17).
#pragma once

#include <madrigal/wire/attributes/mc_member_record.hpp>
#include <madrigal/wire/record_query.hpp>
#include <madrigal/wire/status.hpp>
#include <madrigal/wire/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace madrigal::engine {

/// The first LID of groups, and how many of them there can be: 0xC000 to 0xFFFE (IBA 4.1.3).
inline constexpr lid first_multicast_lid{0xC000};
inline constexpr std::uint16_t most_multicast_lids = 0x3FFF;

/// A port that shall become a member of a group, as the subnet manager knows it.
struct joining_port {
    mtu longest = mtu::bytes_2048;           ///< packet that its link carries
    path_rate rate = path_rate::gbps_10;     ///< of its link; one that has a code
    std::span<std::uint16_t const> p_keys{}; ///< its table, host byte order; looked at during the call only
    /// The request came from another port. Whether that one may speak for it is the caller's to decide: it shares the
    /// group's partition.
    bool by_proxy = false;
    /// The port that asks, whose share the group and the membership count for; 0: that of the PortGID, which anybody
    /// can choose.
    gid asker{};
};

/// A port that has joined a group.
struct group_member {
    flags<join_state> states; ///< never empty
    bool proxy = false;       ///< another port has joined for it
    gid asker{};              ///< whose share it counts for
};

/// A multicast group: what all its members have in common, and who they are.
struct multicast_group {
    /// PortGID, JoinState and ProxyJoin are 0, all selectors `exactly`, P_Key that of a full member.
    mc_member_record common;
    std::map<gid, group_member> members;
    bool stays = false; ///< even without members
    gid maker{};        ///< whose share it counts for; 0 where `keep_group` has made it
};

/// What has become of a request.
struct membership_outcome {
    std::uint16_t status = mad_status::ok; ///< of the answer: one of `mad_status`. Unless it is `ok`, nothing changed
    mc_member_record record{};             ///< of the answer, or of the member that went
    bool group_created = false;            ///< notice 66 tells it
    bool group_deleted = false;            ///< notice 67 tells it; no switch needs its MLID any more
    bool membership_changed = false;       ///< ports or their states: the tree of the group may have to change

    [[nodiscard]] bool ok() const noexcept { return status == mad_status::ok; }
};

/// Bounds of a `multicast_registry`, and what new groups get.
struct multicast_registry_options {
    std::size_t most_groups = 4096;
    std::size_t most_members = 65'536;                  ///< of all groups together
    std::size_t most_groups_of_one = 512;               ///< made by one port
    std::size_t most_members_of_one = 4096;             ///< that one port has joined, itself or others
    std::uint16_t multicast_lids = most_multicast_lids; ///< as `set_multicast_lids` takes them
    std::uint8_t packet_life_time = 18; ///< of groups whose first member does not wish: 4.096 us · 2^18
    /// Of GIDs that are made for groups without one, host byte order: FF1x:A01B, this, and a number.
    std::uint64_t subnet_prefix = default_subnet_prefix;
    /// Members that only send count as full ones with `send_only_full_member`, so that they make groups and keep them
    /// (ClassPortInfo tells that by CapabilityMask2).
    bool send_only_full_members = false;
};

/// The groups of a subnet. Requests come as they have been read from the wire: whatever they say is checked, and what
/// would be more than the bounds is refused with `sa_no_resources`. A group is made by the first full member and goes
/// with the last, unless it `stays`. It programs no switch and tells nobody: that is left to who reads the outcomes.
/// So is keeping groups from those outside of their partition: `find` knows no askers. Each group has an MLID of its
/// own: there are no more of them than MLIDs, and none share one. Belongs to one thread.
class multicast_registry {
public:
    using query_type = record_query<mc_member_record>;

    explicit multicast_registry(multicast_registry_options options = {});

    /// SubnAdmSet: joins, and makes the group where there is none. `port` is the one with the PortGID of the request;
    /// nullptr where the subnet has none. A group that is to be made without MGID gets one; nobody
    /// else makes a group of such a name in the link-local scope. Refused are requests
    /// without a needed component, with a GID that cannot be, and those that do not fit the group or the port: Q_Key
    /// and traffic class other than the group's, a P_Key that does not match its (10.9.3: one of the two is a full
    /// member's), a slower link, a partition that the port is not in (IBA 15.2.5.17).
    membership_outcome join(query_type const& query, joining_port const* port);
    /// SubnAdmDelete: takes join states back. `by_proxy`: another port asks, which is heard only where another port
    /// has joined for the member.
    membership_outcome leave(query_type const& query, bool by_proxy = false);
    /// A port is gone: it leaves all groups. One outcome for each; ports with several GIDs are told by each of them.
    std::vector<membership_outcome> remove_port(gid const& port);
    /// The same for all ports of which `gone` says so, which must not throw.
    std::vector<membership_outcome> remove_ports(std::function<bool(gid const& port)> const& gone);

    /// Makes a group that stays without members; where there is one of that MGID, it stays as it is from now on. Of
    /// `group` count MGID, keys, MTU, rate, life time, SL, flow label, traffic class, hop limit, and MLID unless it is
    /// 0, which is for the lowest free one. Refused with `sa_invalid_gid`, `sa_request_invalid` or `sa_no_resources`.
    membership_outcome keep_group(mc_member_record const& group);
    /// The group stays no longer than it has full members. `sa_no_records` where there is none.
    membership_outcome let_group_go(gid const& mgid);

    /// Hands each record that matches to `take` until that says false; then returns false too. The trusted (they have
    /// the SM_Key) see each member; others see each group, without who is in it, and so the trusted see groups without
    /// members. Of MTU, rate and life time with a selector, groups
    /// match whose value is as the selector says.
    bool find(query_type const& query, bool trusted, std::function<bool(mc_member_record const&)> const& take) const;

    /// All groups by MLID.
    [[nodiscard]] std::map<lid, multicast_group> const& groups() const noexcept { return groups_; }
    /// nullptr where there is none. Valid until the next change.
    [[nodiscard]] multicast_group const* group(gid const& mgid) const noexcept;
    /// Of all groups together.
    [[nodiscard]] std::size_t members() const noexcept { return members_; }

    /// How many LIDs, from 0xC000, new groups may have: the smallest MulticastFDBCap of the switches. Groups that have
    /// higher ones keep them. More than `most_multicast_lids` are as many.
    void set_multicast_lids(std::uint16_t count) noexcept;

private:
    using group_place = std::map<lid, multicast_group>::iterator;

    [[nodiscard]] group_place find_group(gid const& mgid) noexcept;
    /// Adds a group; `mlid` 0 for any. The end where there is no room.
    group_place add(mc_member_record common);
    /// Takes a member out whose port is gone; `settle` comes next.
    membership_outcome drop(multicast_group& group, std::map<gid, group_member>::iterator& member);
    [[nodiscard]] lid free_lid() const noexcept;
    [[nodiscard]] gid free_name(std::uint8_t scope, lid mlid) const;
    /// Forgets a member in all counts.
    void uncount(group_member const& member);
    /// Deletes a group that nobody holds.
    void settle(group_place place, membership_outcome& outcome);
    [[nodiscard]] bool is_full(group_member const& one) const noexcept;

    multicast_registry_options options_;
    std::map<lid, multicast_group> groups_;
    std::map<gid, lid> by_name_;
    std::size_t members_ = 0;
    /// What of all that one port has, by its GID.
    std::map<gid, std::size_t> groups_of_;
    std::map<gid, std::size_t> members_of_;
};

} // namespace madrigal::engine
