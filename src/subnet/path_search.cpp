#include <madrigal/subnet/path_search.hpp>

#include <madrigal/wire/path_rates.hpp>

#include <algorithm>

namespace madrigal {
namespace {

void narrow(path_limits& found, managed_subnet const& of, topology::endpoint by) noexcept
{
    auto const& port = of.node(by.node).external_port(by.port);
    auto const rate = rate_of(port.width, port.speed);
    // What every port can, where one has not said what it is set to, or nothing that is an MTU.
    auto const packet = of.info(by).neighbor_mtu;
    found.largest_packet = std::min(found.largest_packet, mtu_bytes(packet) != 0 ? packet : mtu::bytes_256);
    if (is_slower(rate, found.rate))
        found.rate = rate;
}

} // namespace

std::optional<path_limits> follow_tables(
    managed_subnet const& of, end_port const& from, end_port const& to, lid address) noexcept
{
    path_limits found;
    if (from.at == to.at) {
        if (from.at.port != 0)
            narrow(found, of, from.at);
        return found;
    }
    auto at = from.at;
    for (std::size_t hops = 0; hops <= of.switches.size() + 1; ++hops) {
        if (at.node == to.at.node && (of.is_switch(at.node) || at == to.at))
            return found;
        if (of.is_switch(at.node)) {
            auto const number = of.switch_number(at.node);
            at.port = number < of.tables.size() && address.value() < of.tables[number].size()
                          ? of.tables[number][address.value()]
                          : no_route;
        } else if (hops != 0) {
            return std::nullopt;
        }
        if (at.port == 0 || at.port > of.node(at.node).port_count())
            return std::nullopt;
        narrow(found, of, at);
        at = of.peer(at);
        if (!at)
            return std::nullopt;
    }
    return std::nullopt;
}

bool meet_wishes(path_record& path, path_limits const& there, record_query<path_record> const& wishes) noexcept
{
    auto const& wanted = wishes.record();
    auto const has = [&](auto component) { return wishes.mask().has(component); };
    constexpr std::uint16_t partition = 0x7FFF;
    if (has(components<&path_record::p_key>)) {
        if (((wanted.p_key ^ path.p_key) & partition) != 0)
            return false;
        path.p_key = wanted.p_key;
    }
    if ((has(components<&path_record::service_level>) && wanted.service_level != path.service_level) ||
        (has(components<&path_record::raw_traffic>) && wanted.raw_traffic) ||
        (has(components<&path_record::numb_path>) && wanted.numb_path == 0))
        return false;
    auto packet = std::optional{there.largest_packet};
    if (has(components<&path_record::mtu_selector> | components<&path_record::path_mtu>))
        packet = chosen(there.largest_packet, wanted.mtu_selector, wanted.path_mtu);
    auto rate = std::optional{there.rate};
    if (has(components<&path_record::rate_selector> | components<&path_record::rate>))
        rate = chosen(there.rate, wanted.rate_selector, wanted.rate);
    auto life_time = std::optional{there.life_time};
    if (has(components<&path_record::packet_life_time_selector> | components<&path_record::packet_life_time>))
        life_time = chosen_life_time(there.life_time, wanted.packet_life_time_selector, wanted.packet_life_time);
    if (!packet || !rate || !life_time)
        return false;
    path.mtu_selector = path.rate_selector = path.packet_life_time_selector = selector::exactly;
    path.path_mtu = *packet;
    path.rate = *rate;
    path.packet_life_time = *life_time;
    return true;
}

} // namespace madrigal
