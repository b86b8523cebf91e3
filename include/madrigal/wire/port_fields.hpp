// Enumerations of PortInfo's smaller fields (IBA 14.2.5.6).
#pragma once

#include <cstdint>
#include <string>

namespace madrigal {

/// PortInfo.LinkDownDefaultState: where a port goes when its link goes down.
enum class link_down_default_state : std::uint8_t {
    no_change = 0, ///< only in a Set
    sleep = 1,
    polling = 2,
};

/// An MTU as PortInfo and SA records write it.
enum class mtu : std::uint8_t {
    bytes_256 = 1,
    bytes_512 = 2,
    bytes_1024 = 3,
    bytes_2048 = 4,
    bytes_4096 = 5,
};

/// PortInfo.VLCap and OperationalVLs: which data virtual lanes there are.
enum class virtual_lanes : std::uint8_t {
    no_change = 0, ///< only in a Set of OperationalVLs
    vl0 = 1,
    vl0_1 = 2,
    vl0_3 = 3,
    vl0_7 = 4,
    vl0_14 = 5,
};

/// One bit of PortInfo's LinkSpeed fields; Active 0 means an extended speed.
enum class legacy_speed : std::uint8_t {
    sdr = 1,
    ddr = 2,
    qdr = 4,
};

/// One bit of PortInfo's LinkSpeedExt fields; Active 0 means none of them.
enum class extended_speed : std::uint8_t {
    fdr = 1,
    edr = 2,
    hdr = 4,
    ndr = 8,
};

/// One bit of PortInfo's LinkSpeedExt2 fields; Active 0 means none of them.
enum class extended_speed2 : std::uint8_t {
    xdr = 1,
};

/// One bit of MlnxExtPortInfo's LinkSpeed fields.
enum class vendor_speed : std::uint8_t {
    fdr10 = 1,
};

/// `NoChange`, `Sleep`, `Polling`; a number for anything else.
[[nodiscard]] std::string to_string(link_down_default_state value);
/// `256` … `4096`; `?(N)` for anything else.
[[nodiscard]] std::string to_string(mtu value);
/// `VL0`, `VL0-1` …; `?(N)` for anything else.
[[nodiscard]] std::string to_string(virtual_lanes value);
/// `SDR`, `DDR`, `QDR`; a number for anything else.
[[nodiscard]] std::string to_string(legacy_speed value);
/// `FDR`, `EDR`, `HDR`, `NDR`; a number for anything else.
[[nodiscard]] std::string to_string(extended_speed value);
/// `XDR`; a number for anything else.
[[nodiscard]] std::string to_string(extended_speed2 value);
/// `FDR10`; a number for anything else.
[[nodiscard]] std::string to_string(vendor_speed value);

/// Bytes: 256 to 4096; 0 for anything else.
[[nodiscard]] constexpr unsigned mtu_bytes(mtu value) noexcept
{
    auto const code = static_cast<unsigned>(value);
    return code >= 1 && code <= 5 ? 128U << code : 0;
}

} // namespace madrigal
