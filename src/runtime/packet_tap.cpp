#include <madrigal/runtime/packet_tap.hpp>

#include <madrigal/runtime/destination.hpp>

#include <algorithm>

namespace madrigal {
namespace {

gid peer_gid(umad::ib_user_mad_hdr const& header) noexcept
{
    gid::bytes_type bytes{};
    std::copy(std::begin(header.gid), std::end(header.gid), bytes.begin());
    return gid{bytes};
}

gid own_gid(umad::ib_user_mad_hdr const& header, umad::port_attributes const& port) noexcept
{
    if (header.gid_index < port.gids.size())
        return port.gids[header.gid_index];
    return {port.gid_prefix, port.port_guid};
}

lid own_lid(umad::ib_user_mad_hdr const& header, umad::port_attributes const& port) noexcept
{
    if (lid{header.lid.value()}.is_permissive())
        return permissive_lid;
    auto const path_bits = header.path_bits & ((1U << (port.lmc & 7)) - 1);
    return lid{static_cast<std::uint16_t>(port.base_lid.value() | path_bits)};
}

std::uint16_t p_key_of(umad::ib_user_mad_hdr const& header, umad::port_attributes const& port) noexcept
{
    auto const known = header.pkey_index < port.pkeys.size() ? port.pkeys[header.pkey_index] : std::uint16_t{0};
    return known != 0 ? known : default_p_key;
}

} // namespace

mad_route route_of(tapped_packet const& packet) noexcept
{
    auto const& header = packet.header;
    auto const& port = packet.port;
    bool const sent = packet.direction == tap_direction::sent;
    bool const smp = is_smp(mad_view{packet.mad}.mgmt_class());
    std::uint32_t const own_qp = smp ? 0 : 1;

    lid const own{own_lid(header, port)};
    lid const peer{header.lid.value()};
    mad_route route;
    route.source = sent ? own : peer;
    route.destination = sent ? peer : own;
    route.virtual_lane = smp ? management_lane : 0;
    route.service_level = header.sl;
    route.p_key = smp ? default_p_key : p_key_of(header, port);
    if (sent)
        route.q_key = header.qkey.value();
    else
        route.q_key = smp ? 0 : gsi_qkey;
    route.source_qp = sent ? own_qp : header.qpn.value();
    route.destination_qp = sent ? header.qpn.value() : own_qp;
    if (header.grh_present != 0) {
        auto const here = own_gid(header, port);
        auto const there = peer_gid(header);
        route.global = mad_global_route{.source = sent ? here : there,
            .destination = sent ? there : here,
            .traffic_class = header.traffic_class,
            .flow_label = header.flow_label.value(),
            .hop_limit = header.hop_limit};
    }
    return route;
}

} // namespace madrigal
