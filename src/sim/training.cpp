#include <sim/training.hpp>

#include <sim/sma.hpp>

#include <madrigal/wire/link_rate.hpp>

namespace madrigal::sim {
namespace {

/// Somebody has said which widths or speeds the port may use.
bool is_touched(port const& one)
{
    return one.width_enabled || one.speed_enabled || one.speed_ext_enabled || one.speed_ext2_enabled;
}

port_info described(core const& of, topology::endpoint end)
{
    return describe_port(of, end.node, end.port, end.port);
}

/// PortInfo in which only what both ends may use is supported.
port_info in_common(port_info const& a, port_info const& b)
{
    port_info both;
    both.link_width_supported = a.link_width_enabled & b.link_width_enabled;
    both.link_speed_supported = a.link_speed_enabled & b.link_speed_enabled;
    both.link_speed_ext_supported = a.link_speed_ext_enabled & b.link_speed_ext_enabled;
    both.link_speed_ext2_supported = a.link_speed_ext2_enabled & b.link_speed_ext2_enabled;
    // So that the extended fields count.
    both.capability_mask.set(port_capability::extended_speeds);
    both.capability_mask.set(port_capability::capability_mask2);
    both.capability_mask2.set(port_capability2::extended_speeds2);
    return both;
}

} // namespace

std::optional<trained_link> train(core const& of, topology::endpoint a, topology::endpoint b)
{
    auto const& mine = of.nodes[a.node].ports[a.port];
    auto const& theirs = of.nodes[b.node].ports[b.port];
    if (!is_touched(mine) && !is_touched(theirs))
        return trained_link{};
    auto const rate = resolve_link(in_common(described(of, a), described(of, b)));
    trained_link found{rate.widest_supported, rate.fastest_supported};
    if (found.width == link_width::none || found.speed == link_speed::none)
        return std::nullopt;
    // PortInfo shows FDR10 as QDR, and enables it so.
    if (found.speed == link_speed::qdr && mine.speed == link_speed::fdr10 && theirs.speed == link_speed::fdr10)
        found.speed = link_speed::fdr10;
    return found;
}

} // namespace madrigal::sim
