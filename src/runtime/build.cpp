#include <madrigal/runtime/detail/build.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/smp.hpp>

#include <algorithm>

namespace madrigal::detail {
namespace {

/// Where the vendor classes 0x30 to 0x4f keep their OUI (IBA 16.5.1).
constexpr std::size_t vendor_oui_offset = 37;

} // namespace

void build_header(engine::packet& packet, management_class of, destination const& to) noexcept
{
    auto& header = *reinterpret_cast<umad::ib_user_mad_hdr*>(packet.bytes.data());
    header = {};
    bool const smp = is_smp(of);
    header.qpn.set(to.has_own_qp() ? to.qpn() : (smp ? 0 : 1));
    header.qkey.set(to.has_own_qp() ? to.qkey() : (smp ? 0 : gsi_qkey));
    header.lid.set(to.to_lid().value());
    header.sl = to.sl();
    header.path_bits = to.path_bits();
    header.pkey_index = smp ? 0 : to.pkey_index();
    if (to.type() == destination::kind::gid) {
        auto const& global = to.global();
        header.grh_present = 1;
        header.gid_index = global.source_gid_index;
        header.hop_limit = global.hop_limit;
        header.traffic_class = global.traffic_class;
        header.flow_label.set(global.flow_label);
        std::copy(global.destination.bytes().begin(), global.destination.bytes().end(), header.gid);
    }
}

bool build_request(
    engine::packet& packet, umad::registration const& agent, destination const& to, question const& what) noexcept
{
    auto of = static_cast<management_class>(agent.management_class);
    bool const smp = is_smp(of);
    if (smp ? to.type() == destination::kind::gid : to.type() == destination::kind::directed_route)
        return false;
    // Every byte is set below: the MAD by its builder, the header at the end.
    packet.assume(umad::header_size + mad_size);
    auto const mad = packet.contents().subspan<umad::header_size, mad_size>();
    if (to.type() == destination::kind::directed_route) {
        of = management_class::subnet_directed_route;
        build_directed_route_smp(mad, what.ask, 0, what.attribute_id, what.modifier, what.m_key, to.route(),
            to.directed_from(), to.directed_to());
    } else if (smp) {
        of = management_class::subnet_lid_routed;
        build_lid_routed_smp(mad, what.ask, 0, what.attribute_id, what.modifier, what.m_key);
    } else {
        std::fill(mad.begin(), mad.end(), std::byte{0});
        mutable_mad_view const view{mad};
        view.set_base_version(mad_base_version);
        view.set_mgmt_class(of);
        view.set_class_version(agent.class_version);
        view.set_method(what.ask);
        view.set_attribute_id(what.attribute_id);
        view.set_attribute_modifier(what.modifier);
        if (umad::needs_oui(agent.management_class))
            for (std::size_t i = 0; i != 3; ++i)
                mad[vendor_oui_offset + i] = static_cast<std::byte>(agent.oui >> (16 - 8 * i));
    }
    build_header(packet, of, to);
    return true;
}

} // namespace madrigal::detail
