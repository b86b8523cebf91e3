#include <madrigal/wire/link_rate.hpp>

#include <array>

namespace madrigal {

namespace {

link_speed speed_of(legacy_speed value) noexcept
{
    switch (value) {
    case legacy_speed::sdr: return link_speed::sdr;
    case legacy_speed::ddr: return link_speed::ddr;
    case legacy_speed::qdr: return link_speed::qdr;
    }
    return link_speed::none;
}

link_speed speed_of(extended_speed value) noexcept
{
    switch (value) {
    case extended_speed::fdr: return link_speed::fdr;
    case extended_speed::edr: return link_speed::edr;
    case extended_speed::hdr: return link_speed::hdr;
    case extended_speed::ndr: return link_speed::ndr;
    }
    return link_speed::none;
}

link_speed speed_of(extended_speed2 value) noexcept
{
    return value == extended_speed2::xdr ? link_speed::xdr : link_speed::none;
}

link_width known_width(link_width value) noexcept
{
    return lanes(value) != 0 ? value : link_width::none;
}

/// The fastest of the named bits. They rise in their fields as the speeds do.
template <class Bit>
link_speed fastest(flags<Bit> set) noexcept
{
    auto result = link_speed::none;
    for (unsigned bit = 1; bit <= 8; bit <<= 1)
        if (set.has(static_cast<Bit>(bit)) && speed_of(static_cast<Bit>(bit)) != link_speed::none)
            result = speed_of(static_cast<Bit>(bit));
    return result;
}

constexpr std::array all_widths{link_width::x1, link_width::x2, link_width::x4, link_width::x8, link_width::x12};

link_width widest(flags<link_width> set) noexcept
{
    auto result = link_width::none;
    for (auto const width : all_widths)
        if (set.has(width))
            result = width;
    return result;
}

} // namespace

link_rate resolve_link(port_info const& port, port_info const* switch_port0, mlnx_ext_port_info const* vendor) noexcept
{
    port_info const& owner = switch_port0 != nullptr ? *switch_port0 : port;
    bool const extended = owner.capability_mask.has(port_capability::extended_speeds);
    bool const extended2 = owner.capability_mask.has(port_capability::capability_mask2) &&
                           owner.capability_mask2.has(port_capability2::extended_speeds2);

    // From the newest field to the oldest: the first that names a speed has it.
    link_rate rate;
    rate.active_width = known_width(port.link_width_active);
    rate.widest_supported = widest(port.link_width_supported);
    if (extended2) {
        rate.active_speed = speed_of(port.link_speed_ext2_active);
        rate.fastest_supported = fastest(port.link_speed_ext2_supported);
    }
    if (extended && rate.active_speed == link_speed::none)
        rate.active_speed = speed_of(port.link_speed_ext_active);
    if (extended && rate.fastest_supported == link_speed::none)
        rate.fastest_supported = fastest(port.link_speed_ext_supported);

    if (rate.active_speed == link_speed::none) {
        rate.active_speed = speed_of(port.link_speed_active);
        if (rate.active_speed == link_speed::qdr && vendor != nullptr &&
            vendor->link_speed_active.has(vendor_speed::fdr10))
            rate.active_speed = link_speed::fdr10;
    }
    if (rate.fastest_supported == link_speed::none) {
        rate.fastest_supported = fastest(port.link_speed_supported);
        if (vendor != nullptr && vendor->link_speed_supported.has(vendor_speed::fdr10))
            rate.fastest_supported = link_speed::fdr10;
    }
    return rate;
}

void set_link(port_info& port, port_info& capabilities, link_width width, link_speed speed) noexcept
{
    port.link_width_active = width;
    port.link_width_supported = {};
    for (auto const narrower : all_widths)
        // 2x came with HDR and is not implied by the wider ones.
        if (lanes(narrower) <= lanes(width) && (narrower != link_width::x2 || width == link_width::x2))
            port.link_width_supported.set(narrower);
    port.link_width_enabled = port.link_width_supported;

    port.link_speed_supported = {};
    port.link_speed_ext_supported = {};
    port.link_speed_ext2_supported = {};
    port.link_speed_active = {};
    port.link_speed_ext_active = {};
    port.link_speed_ext2_active = {};
    for (auto const bit : {legacy_speed::sdr, legacy_speed::ddr, legacy_speed::qdr}) {
        if (speed_of(bit) <= speed) {
            port.link_speed_supported.set(bit);
            port.link_speed_active = bit;
        }
    }
    for (auto const bit : {extended_speed::fdr, extended_speed::edr, extended_speed::hdr, extended_speed::ndr}) {
        if (speed_of(bit) <= speed) {
            port.link_speed_ext_supported.set(bit);
            port.link_speed_ext_active = bit;
            capabilities.capability_mask.set(port_capability::extended_speeds);
        }
    }
    if (speed >= link_speed::hdr || width == link_width::x2) {
        capabilities.capability_mask.set(port_capability::capability_mask2);
        capabilities.capability_mask2.set(port_capability2::link_width_2x, width == link_width::x2);
        if (speed >= link_speed::hdr)
            capabilities.capability_mask2.set(port_capability2::link_speed_hdr);
        if (speed >= link_speed::ndr)
            capabilities.capability_mask2.set(port_capability2::link_speed_ndr);
    }
    if (speed == link_speed::xdr) {
        port.link_speed_ext2_supported = extended_speed2::xdr;
        port.link_speed_ext2_active = extended_speed2::xdr;
        port.link_speed_ext_active = {};
        capabilities.capability_mask2.set(port_capability2::extended_speeds2);
        capabilities.capability_mask2.set(port_capability2::link_speed_xdr);
    }
    port.link_speed_enabled = port.link_speed_supported;
    port.link_speed_ext_enabled = port.link_speed_ext_supported;
    port.link_speed_ext2_enabled = port.link_speed_ext2_supported;
}

mlnx_ext_port_info vendor_link(link_speed speed) noexcept
{
    mlnx_ext_port_info info;
    info.link_speed_supported.set(vendor_speed::fdr10, speed >= link_speed::fdr10);
    info.link_speed_enabled = info.link_speed_supported;
    info.link_speed_active.set(vendor_speed::fdr10, speed == link_speed::fdr10);
    return info;
}

} // namespace madrigal
