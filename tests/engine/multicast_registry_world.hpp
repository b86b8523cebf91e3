// Requests to registries of multicast groups, and one to put them to.
#pragma once

#include <madrigal/engine/multicast_registry.hpp>
#include <madrigal/wire/p_key.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace madrigal::engine::testing {

using query_type = multicast_registry::query_type;

inline constexpr gid group_name{0xFF12'401B'FFFF'0000, guid{0xFFFF'FFFF}};
inline constexpr gid other_name{0xFF12'401B'FFFF'0000, guid{7}};

[[nodiscard]] inline gid port_gid(std::uint64_t number)
{
    return {default_subnet_prefix, guid{number}};
}

[[nodiscard]] inline query_type membership(
    gid const& name, gid const& port, flags<join_state> how = join_state::full_member)
{
    return query_type{}
        .where<&mc_member_record::mgid>(name)
        .where<&mc_member_record::port_gid>(port)
        .where<&mc_member_record::join_states>(how);
}

[[nodiscard]] inline query_type creation(
    gid const& name, gid const& port, flags<join_state> how = join_state::full_member)
{
    return membership(name, port, how)
        .where<&mc_member_record::p_key>(0xFFFF)
        .where<&mc_member_record::q_key>(0xB1B)
        .where<&mc_member_record::service_level>(0)
        .where<&mc_member_record::flow_label>(0)
        .where<&mc_member_record::traffic_class>(0);
}

/// A registry and what its ports are like.
struct multicast_registry_world : ::testing::Test {
    std::array<std::uint16_t, 2> keys{default_p_key, 0x0001};
    joining_port able{.longest = mtu::bytes_4096, .rate = path_rate::gbps_100, .p_keys = keys};
    multicast_registry groups;

    membership_outcome join(query_type const& query) { return groups.join(query, &able); }
    std::uint16_t refused(query_type const& query)
    {
        auto const before = groups.members();
        auto const outcome = join(query);
        EXPECT_EQ(groups.members(), before);
        EXPECT_FALSE(outcome.group_created || outcome.group_deleted || outcome.membership_changed);
        return outcome.status;
    }
    std::vector<mc_member_record> found(query_type const& query = {}, bool trusted = true)
    {
        std::vector<mc_member_record> all;
        EXPECT_TRUE(groups.find(query, trusted, [&](mc_member_record const& one) {
            all.push_back(one);
            return true;
        }));
        return all;
    }
};

} // namespace madrigal::engine::testing
