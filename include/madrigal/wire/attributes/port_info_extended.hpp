// PortInfoExtended (IBA 14.2.5.19): forward error correction of a port's speeds. The attribute modifier is the port, as
// for PortInfo.
#pragma once

#include <madrigal/wire/layout.hpp>

#include <cstdint>
#include <string>

namespace madrigal {

/// PortInfoExtended.FECModeActive.
enum class fec_mode : std::uint16_t {
    none = 0,
    fire_code = 1,
    reed_solomon = 2,
    low_latency_reed_solomon = 3,
};
/// `None`, `FireCode`, `RS`, `LowLatencyRS`; a number for anything else.
[[nodiscard]] std::string to_string(fec_mode value);

} // namespace madrigal

// clang-format off
#define MADRIGAL_PORT_INFO_EXTENDED(field)                                                                             \
    field(std::uint32_t, capability_mask, "CapMask", 0, 32,                                                            \
        "bit 0: the fields of FEC modes hold something", hexadecimal)                                                  \
    field(fec_mode, fec_mode_active, "FECModeActive", 32, 16, "mode in use")                                           \
    field(std::uint16_t, fdr_fec_supported, "FDRFECModeSupported", 48, 16,                                             \
        "bits of the modes the port has at FDR", hexadecimal)                                                          \
    field(std::uint16_t, fdr_fec_enabled, "FDRFECModeEnabled", 64, 16,                                                 \
        "bits of the modes it may use at FDR", hexadecimal)                                                            \
    field(std::uint16_t, edr_fec_supported, "EDRFECModeSupported", 80, 16,                                             \
        "bits of the modes the port has at EDR", hexadecimal)                                                          \
    field(std::uint16_t, edr_fec_enabled, "EDRFECModeEnabled", 96, 16,                                                 \
        "bits of the modes it may use at EDR", hexadecimal)                                                            \
    field(std::uint16_t, hdr_fec_supported, "HDRFECModeSupported", 112, 16,                                            \
        "bits of the modes the port has at HDR", hexadecimal)                                                          \
    field(std::uint16_t, hdr_fec_enabled, "HDRFECModeEnabled", 128, 16,                                                \
        "bits of the modes it may use at HDR", hexadecimal)                                                            \
    field(std::uint16_t, ndr_fec_supported, "NDRFECModeSupported", 144, 16,                                            \
        "bits of the modes the port has at NDR", hexadecimal)                                                          \
    field(std::uint16_t, ndr_fec_enabled, "NDRFECModeEnabled", 160, 16,                                                \
        "bits of the modes it may use at NDR", hexadecimal)                                                            \
    field(std::uint16_t, partition_top, "PartitionTop", 176, 16, "last entry of the P_Key table in use")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(
    port_info_extended, "PortInfoExtended", 0x0033, subnet_management_scope, 24, MADRIGAL_PORT_INFO_EXTENDED);
} // namespace madrigal
