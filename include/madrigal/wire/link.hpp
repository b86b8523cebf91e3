// How wide and how fast a link is, as people name it: `4xHDR`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace madrigal {

/// One bit of PortInfo's LinkWidth fields (IBA 14.2.5.6).
enum class link_width : std::uint8_t {
    none = 0,
    x1 = 1,
    x4 = 2,
    x8 = 4,
    x12 = 8,
    x2 = 16,
};

/// A signalling rate by its name. Three fields of PortInfo and one vendor attribute tell it together: LinkSpeed (SDR,
/// DDR, QDR), LinkSpeedExt (FDR to NDR), LinkSpeedExt2 (XDR), and MlnxExtPortInfo for FDR10.
enum class link_speed : std::uint8_t {
    none,
    sdr,
    ddr,
    qdr,
    fdr10,
    fdr,
    edr,
    hdr,
    ndr,
    xdr,
};

/// `1x`, `2x`, `4x`, `8x`, `12x`; `?` for none.
[[nodiscard]] std::string_view to_string(link_width value) noexcept;
/// `SDR` … `XDR`, `FDR10`; `?` for none.
[[nodiscard]] std::string_view to_string(link_speed value) noexcept;

/// The reverse of `to_string`, in any case of letters; nothing for an unknown name.
[[nodiscard]] std::optional<link_width> parse_link_width(std::string_view text) noexcept;
/// The reverse of `to_string`, in any case of letters; nothing for an unknown name.
[[nodiscard]] std::optional<link_speed> parse_link_speed(std::string_view text) noexcept;

/// Number of lanes: 1, 2, 4, 8 or 12; 0 for none.
[[nodiscard]] unsigned lanes(link_width value) noexcept;

} // namespace madrigal
