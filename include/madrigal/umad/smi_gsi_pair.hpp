// Adapters that offer SMPs and GMPs on separate devices: which device to use for which class.
#pragma once

#include <madrigal/umad/host.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace madrigal::umad {

/// One physical port as seen through the device that takes SMPs (QP0) and the one that takes GMPs (QP1). On ordinary
/// adapters both are the same port of the same device; on split ones they are two devices with one port GUID, and the
/// GMP device reports IsSMDisabled in its capability mask.
struct smi_gsi_pair {
    /// None where the port reports IsSMDisabled and has no partner.
    std::optional<port_attributes> smi;
    port_attributes gsi;
};

/// Both sides of the port given, which may be either. Partners are InfiniBand ports with the same GUID on other
/// devices.
[[nodiscard]] result<smi_gsi_pair> find_smi_gsi_pair(host& from, port_attributes const& selected);

/// Every physical InfiniBand port of the machine, once, in the order of `list_ports`.
[[nodiscard]] result<std::vector<smi_gsi_pair>> list_smi_gsi_pairs(host& from);

/// The port to open for a management class when the user chose `selected`: the SMI side for classes 0x01 and 0x81, the
/// GSI side for all others. errc::no_usable_port where SMPs are wanted and no port takes them.
[[nodiscard]] result<port_attributes> device_for_class(
    host& from, port_attributes const& selected, std::uint8_t management_class);
/// The same by queue pair, for an agent that only sends.
[[nodiscard]] result<port_attributes> device_for_qp(host& from, port_attributes const& selected, std::uint32_t qpn);

} // namespace madrigal::umad
