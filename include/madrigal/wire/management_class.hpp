// Management classes (IBA 13.4.4) and what they imply for a MAD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace madrigal {

/// MgmtClass of the MAD header (IBA 13.4.4). Vendors have 0x09 to 0x0F, and 0x30 to 0x4F with an OUI; applications have
/// 0x20 to 0x2F.
enum class management_class : std::uint8_t {
    subnet_lid_routed = 0x01,
    subnet_administration = 0x03,
    performance = 0x04,
    baseboard = 0x05,
    device_management = 0x06,
    communication = 0x07,
    snmp = 0x08,
    vendor_first = 0x09,
    vendor_last = 0x0F,
    device_administration = 0x10,
    boot = 0x11,
    bis = 0x12,
    congestion = 0x21,
    vendor_oui_first = 0x30,
    vendor_oui_last = 0x4F,
    subnet_directed_route = 0x81,
};

/// `SubnLIDRouted`, `PerfMgt`, `Vendor 0x32` …; a number for classes without a name.
[[nodiscard]] std::string to_string(management_class value);

/// The two subnet management classes, which travel on QP 0 and VL 15.
[[nodiscard]] constexpr bool is_smp(management_class value) noexcept
{
    return value == management_class::subnet_lid_routed || value == management_class::subnet_directed_route;
}

/// 0x09 to 0x0F.
[[nodiscard]] constexpr bool is_vendor_without_oui(management_class value) noexcept
{
    return value >= management_class::vendor_first && value <= management_class::vendor_last;
}

/// 0x30 to 0x4F: bytes 37 to 39 of the MAD hold the OUI of who defined it.
[[nodiscard]] constexpr bool is_vendor_with_oui(management_class value) noexcept
{
    return value >= management_class::vendor_oui_first && value <= management_class::vendor_oui_last;
}

/// True for classes whose MADs carry the RMPP header at byte 24.
[[nodiscard]] constexpr bool has_rmpp(management_class value) noexcept
{
    return value == management_class::subnet_administration || value == management_class::device_management ||
           value == management_class::device_administration || value == management_class::bis ||
           is_vendor_with_oui(value);
}

/// Byte of the MAD where the attribute's data begins.
[[nodiscard]] constexpr std::size_t class_data_offset(management_class value) noexcept
{
    switch (value) {
    case management_class::subnet_administration: return 56;
    case management_class::subnet_lid_routed:
    case management_class::subnet_directed_route:
    case management_class::performance:
    case management_class::baseboard:
    case management_class::device_management:
    case management_class::snmp:
    case management_class::device_administration:
    case management_class::bis:
    case management_class::congestion: return 64;
    default: return is_vendor_with_oui(value) ? 40 : 24;
    }
}

/// The same for one attribute: the congestion log alone begins before the data of its class (IBA A10.4.1).
[[nodiscard]] constexpr std::size_t attribute_data_offset(management_class value, std::uint16_t attribute_id) noexcept
{
    constexpr std::uint16_t congestion_log = 0x0013;
    return value == management_class::congestion && attribute_id == congestion_log ? 32 : class_data_offset(value);
}

/// ClassVersion that the current specification gives a class: 2 for SubnAdm, communication and congestion, else 1.
[[nodiscard]] constexpr std::uint8_t default_class_version(management_class value) noexcept
{
    return value == management_class::subnet_administration || value == management_class::communication ||
                   value == management_class::congestion
               ? 2
               : 1;
}

/// The queue pair that MADs of a class are sent to: 0 for SMPs, else 1.
[[nodiscard]] constexpr unsigned queue_pair(management_class value) noexcept
{
    return is_smp(value) ? 0 : 1;
}

} // namespace madrigal
