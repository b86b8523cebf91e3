#include <madrigal/engine/ipoib_broadcast_group.hpp>

namespace madrigal::engine {

mc_member_record ipoib_broadcast_group(ipoib_broadcast_options const& options) noexcept
{
    constexpr std::uint16_t full_member = 0x8000;
    constexpr std::uint64_t transient = 0xFF10'401B'0000'0000; // and for IPv4
    auto const key = static_cast<std::uint16_t>(options.p_key | full_member);
    mc_member_record group;
    group.mgid =
        gid{transient | std::uint64_t{static_cast<std::uint8_t>(options.scope)} << 48 | std::uint64_t{key} << 16,
            guid{0xFFFF'FFFF}};
    group.p_key = key;
    group.q_key = options.q_key;
    group.group_mtu = options.group_mtu;
    group.rate = options.rate;
    group.packet_life_time = options.packet_life_time;
    group.service_level = options.service_level;
    group.scope = options.scope;
    group.mtu_selector = group.rate_selector = group.packet_life_time_selector = selector::exactly;
    return group;
}

} // namespace madrigal::engine
