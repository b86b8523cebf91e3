#include <sim/sa_route.hpp>

#include <madrigal/wire/path_rates.hpp>

#include <algorithm>
#include <chrono>

namespace madrigal::sim {
namespace {

/// The least n for which 4.096 us times 2 to the power of n is as long.
std::uint8_t life_time_of(duration way) noexcept
{
    std::uint8_t power = 0;
    while (power < 31 && std::chrono::nanoseconds{std::int64_t{4096} << power} < way)
        ++power;
    return power;
}

} // namespace

std::optional<route> route_to(core const& of, topology::endpoint from, std::uint16_t destination)
{
    route found;
    auto at = from;
    std::size_t links = 0;
    for (;;) {
        auto const& here = of.nodes[at.node];
        if (!here.running())
            return std::nullopt;
        auto const& end = here.ports[here.end_number(at.port)];
        if (core::owns(*end.end, destination)) {
            if (links == 0 && end.state != port_state::active)
                return std::nullopt;
            break;
        }
        unsigned out = at.port;
        if (here.is_switch()) {
            out = here.switching->route(destination);
            found.life_time = std::max(found.life_time, here.switching->life_time);
        } else if (links != 0) {
            return std::nullopt;
        }
        if (out == 0 || out > here.port_count())
            return std::nullopt;
        auto const& mine = here.ports[out];
        if (!of.link_is_up(mine) || mine.state != port_state::active)
            return std::nullopt;
        auto const& theirs = of.nodes[mine.cable.node].ports[mine.cable.port];
        if (theirs.state < port_state::armed || ++links > std::max<std::size_t>(64, of.nodes.size()))
            return std::nullopt;
        for (auto const* const one : {&mine, &theirs}) {
            found.largest_packet = std::min(found.largest_packet, one->neighbor_mtu);
            found.rate = std::min(found.rate, rate_of(one->width, one->speed), is_slower);
        }
        at = mine.cable;
    }
    if (links == 0) { // to itself
        auto const& own = of.nodes[from.node].ports[from.port];
        found.rate = from.port == 0 ? rate_of(link_width::x4, of.nodes[from.node].fastest)
                                    : rate_of(own.active_width(), own.active_speed());
    }
    auto const latency = static_cast<std::int64_t>(links) * (of.faults.hop_latency + of.faults.jitter);
    found.life_time = std::max(found.life_time, life_time_of(latency));
    return found;
}

} // namespace madrigal::sim
