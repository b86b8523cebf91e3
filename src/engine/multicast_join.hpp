// What a request to join a multicast group must be like (IBA 15.2.5.17).
#pragma once

#include <madrigal/engine/multicast_registry.hpp>

#include <cstdint>

namespace madrigal::engine {

/// True for names of groups: a multicast GID, of flags that there are and of a scope that is not reserved (IBA 4.1.1).
[[nodiscard]] bool is_group_name(gid const& name) noexcept;
/// True for multicast GIDs, those that cannot be names of groups included.
[[nodiscard]] bool is_multicast(gid const& name) noexcept;
/// True for rates and MTUs that have codes.
[[nodiscard]] bool is_known(path_rate rate) noexcept;
[[nodiscard]] bool is_known(mtu size) noexcept;

/// A partition's key as groups have it: so that limited members match it too.
[[nodiscard]] constexpr std::uint16_t as_full_member(std::uint16_t p_key) noexcept
{
    return static_cast<std::uint16_t>(p_key | 0x8000);
}

/// What follows scope and flags in GIDs that are given to groups without one (IBA 15.2.5.17).
inline constexpr std::uint16_t given_signature = 0xA01B;

/// What the request says of MTU, rate and life time by selectors is so of the group.
[[nodiscard]] bool meets_wishes(mc_member_record const& group, record_query<mc_member_record> const& query) noexcept;
/// The components that `meets_wishes` looks at, selectors without values and `best` included.
[[nodiscard]] component_mask<mc_member_record> wishes_of(component_mask<mc_member_record> mask) noexcept;

/// Whether the port can be a member of the group, and the group is what the request states of it.
[[nodiscard]] bool fits(
    mc_member_record const& group, record_query<mc_member_record> const& query, joining_port const& port) noexcept;

/// A group that is to be made, or the status that refuses it.
struct group_plan {
    std::uint16_t status = mad_status::ok;
    mc_member_record common{}; ///< as `multicast_group` has it; without MLID, and without MGID where none is given
    std::uint8_t scope = 0;    ///< of the MGID that it gets then
};
/// What the first member makes.
[[nodiscard]] group_plan plan_group(record_query<mc_member_record> const& query, joining_port const& port,
    multicast_registry_options const& options) noexcept;

} // namespace madrigal::engine
