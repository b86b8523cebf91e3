#include <madrigal/wire/smp.hpp>

#include <cstring>

namespace madrigal {

namespace {

/// Of a size that the compiler does not see here: it would write the loop out with instructions slower than the
/// library's.
[[gnu::noipa]] void clear(std::span<std::byte> bytes) noexcept
{
    std::memset(bytes.data(), 0, bytes.size());
}

/// The part that both kinds of SMP share; everything else is left zero.
void build_common(
    std::span<std::byte, mad_size> packet, management_class class_of_mad, smp_request const& request) noexcept
{
    clear(packet);
    mutable_mad_view const mad{packet};
    mad.set_base_version(mad_base_version);
    mad.set_mgmt_class(class_of_mad);
    mad.set_class_version(default_class_version(class_of_mad));
    mad.set_method(request.method_of_mad);
    mad.set_transaction_id(request.transaction_id);
    mad.set_attribute_id(request.attribute_id);
    mad.set_attribute_modifier(request.attribute_modifier);
    store_bits<8 * mad_header_size, 64>(packet.data(), request.m_key);
}

} // namespace

void build_directed_route_smp(std::span<std::byte, mad_size> packet, smp_request const& request,
    directed_route const& route, lid dr_slid, lid dr_dlid) noexcept
{
    build_common(packet, management_class::subnet_directed_route, request);
    store_bits<56, 8>(packet.data(), route.hops());
    store_bits<256, 16>(packet.data(), dr_slid.value());
    store_bits<272, 16>(packet.data(), dr_dlid.value());
    std::memcpy(packet.data() + smp_initial_path_offset, route.initial_path().data(), smp_path_size);
}

void build_directed_route_smp(std::span<std::byte, mad_size> packet, method method_of_mad, std::uint64_t transaction_id,
    std::uint16_t attribute_id, std::uint32_t attribute_modifier, std::uint64_t m_key, directed_route const& route,
    lid dr_slid, lid dr_dlid) noexcept
{
    build_directed_route_smp(
        packet, {method_of_mad, transaction_id, attribute_id, attribute_modifier, m_key}, route, dr_slid, dr_dlid);
}

void build_lid_routed_smp(std::span<std::byte, mad_size> packet, smp_request const& request) noexcept
{
    build_common(packet, management_class::subnet_lid_routed, request);
}

void build_lid_routed_smp(std::span<std::byte, mad_size> packet, method method_of_mad, std::uint64_t transaction_id,
    std::uint16_t attribute_id, std::uint32_t attribute_modifier, std::uint64_t m_key) noexcept
{
    build_lid_routed_smp(packet, {method_of_mad, transaction_id, attribute_id, attribute_modifier, m_key});
}

} // namespace madrigal
