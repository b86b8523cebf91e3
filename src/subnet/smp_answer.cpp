#include "subnet/smp_answer.hpp"

#include <madrigal/wire/bits.hpp>
#include <madrigal/wire/smp.hpp>

#include <algorithm>
#include <array>

namespace madrigal::detail {
namespace {

constexpr std::size_t m_key_offset = 24;
constexpr std::size_t dr_lids_end = 36; // DrSLID and DrDLID, behind the M_Key

std::uint8_t hop_count(mad_view smp) noexcept
{
    return static_cast<std::uint8_t>(smp.class_specific() & 0xFFU);
}

void zero(std::span<std::byte> bytes) noexcept
{
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
}

} // namespace

std::uint64_t m_key_of(mad_view smp) noexcept
{
    return smp.bytes().size() < m_key_offset + 8 ? 0 : load_bits<8 * m_key_offset, 64>(smp.bytes().data());
}

void clear_for_answer(mutable_mad_view smp, std::uint64_t m_key) noexcept
{
    auto const bytes = smp.bytes();
    if (smp.mgmt_class() == management_class::subnet_directed_route) {
        auto const used = std::min<std::size_t>(hop_count(smp) + std::size_t{1}, smp_path_size);
        zero(bytes.subspan(dr_lids_end, smp_initial_path_offset - dr_lids_end));
        zero(bytes.subspan(smp_initial_path_offset, smp_path_size).subspan(used));
        zero(bytes.subspan(smp_return_path_offset, smp_path_size).subspan(used));
    } else {
        smp.set_class_specific(0);
        zero(bytes.subspan(mad_header_size));
    }
    store_bits<8 * m_key_offset, 64>(bytes.data(), m_key);
}

std::optional<destination> way_back(received_mad const& from) noexcept
{
    auto const smp = from.mad();
    if (smp.mgmt_class() != management_class::subnet_directed_route)
        return from.source().is_unicast() ? std::optional{from.reply_to()} : std::nullopt;
    auto const all = decode<directed_route_smp>(from.bytes());
    if (!all)
        return std::nullopt;
    if (!all->dr_slid.is_permissive()) // it began by LID, and so can the way back
        return all->dr_slid.is_unicast() ? std::optional{destination{all->dr_slid}} : std::nullopt;
    std::size_t const hops = all->hop_count;
    if (hops > directed_route::max_hops)
        return std::nullopt;
    // Each node has noted the port where the SMP came in: it goes back by that.
    std::array<std::uint8_t, smp_path_size> ports{};
    std::reverse_copy(
        all->return_path.begin() + 1, all->return_path.begin() + 1 + static_cast<std::ptrdiff_t>(hops), ports.begin());
    auto const route = directed_route::from_ports(std::span{ports}.first(hops));
    if (!route)
        return std::nullopt;
    if (all->dr_dlid.is_permissive())
        return destination{*route};
    // It has come by LID from where the route ended, and goes back to there first.
    bool const is_whole = from.source().is_unicast() && all->dr_dlid.is_unicast();
    return is_whole ? std::optional{destination{*route}.starting_at(from.source(), all->dr_dlid)} : std::nullopt;
}

} // namespace madrigal::detail
