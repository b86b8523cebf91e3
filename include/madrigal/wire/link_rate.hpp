// How wide and fast a port's link is and could be, told together from all the fields that say a part of it.
#pragma once

#include <madrigal/wire/attributes/mlnx_ext_port_info.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/link.hpp>

namespace madrigal {

/// What a link uses and what its port could use. Active values say nothing while the link is down.
struct link_rate {
    link_width active_width = link_width::none;
    link_speed active_speed = link_speed::none;
    link_width widest_supported = link_width::none;
    link_speed fastest_supported = link_speed::none;
    friend bool operator==(link_rate const&, link_rate const&) = default;
};

/// Reads PortInfo's width and speed fields (IBA 14.2.5.6). The extended speed fields are valid only where the
/// capability masks say so; a switch's external ports have no masks of their own, so give PortInfo of the switch's port
/// 0 as `switch_port0` for them, and null for any other port. An extended speed of 0 falls back to the older field.
/// `vendor`, where there is one, tells FDR10, which PortInfo shows as QDR.
[[nodiscard]] link_rate resolve_link(port_info const& port, port_info const* switch_port0 = nullptr,
    mlnx_ext_port_info const* vendor = nullptr) noexcept;

/// The reverse, for who answers PortInfo: sets the width and speed fields and the capability bits that they need, with
/// this rate active and all widths and speeds up to it supported and enabled. FDR10 sets QDR here; `vendor_link` has
/// the rest. `capabilities` is the PortInfo whose masks count: `port` itself, or port 0 of its switch.
void set_link(port_info& port, port_info& capabilities, link_width width, link_speed speed) noexcept;
/// MlnxExtPortInfo of a port with this speed.
[[nodiscard]] mlnx_ext_port_info vendor_link(link_speed speed) noexcept;

} // namespace madrigal
