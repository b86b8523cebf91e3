// Redirections (IBA 13.4.8.1, 13.5.2): ClassPortInfo says where to ask instead.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/runtime/destination.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/wire/attributes/class_port_info.hpp>

namespace madrigal::detail {

/// ClassPortInfo sends clients anywhere.
[[nodiscard]] bool names_redirection(class_port_info const& info) noexcept;
/// Where ClassPortInfo sends clients, as a destination of this port. errc::redirected_to_gid where it gives no LID;
/// errc::unusable_redirection where it gives no queue pair, or a P_Key that the port does not have.
[[nodiscard]] result<destination> redirected_destination(class_port_info const& info, port const& from);

} // namespace madrigal::detail
