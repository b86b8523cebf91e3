// The group that IP over InfiniBand needs of each partition (RFC 4391, section 4).
#pragma once

#include <madrigal/wire/attributes/mc_member_record.hpp>
#include <madrigal/wire/p_key.hpp>

#include <cstdint>

namespace madrigal::engine {

/// What a broadcast group is to be like: the slowest port that shall join must be able to do it.
struct ipoib_broadcast_options {
    std::uint16_t p_key = default_p_key; ///< host byte order; the group has it as a full member's
    std::uint32_t q_key = 0x0B1B;        ///< of all IPoIB of the partition
    mtu group_mtu = mtu::bytes_2048;
    path_rate rate = path_rate::gbps_10;
    std::uint8_t packet_life_time = 18; ///< 4.096 us · 2^18
    std::uint8_t service_level = 0;
    multicast_scope scope = multicast_scope::link_local;
};

/// The IPv4 broadcast group of a partition, ff12:401b:<P_Key>::ffff:ffff, for `multicast_registry::keep_group`.
[[nodiscard]] mc_member_record ipoib_broadcast_group(ipoib_broadcast_options const& options = {}) noexcept;

} // namespace madrigal::engine
