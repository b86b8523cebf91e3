// From what a umad header says to what packets carry, and back.
#pragma once

#include <sim/node.hpp>
#include <sim/packet.hpp>

#include <madrigal/umad/uapi.hpp>

namespace madrigal::sim {

/// Fills in the addresses of a packet that leaves an end port for where `header` says, all but the source QP. 0, or the
/// errno of a kernel that cannot.
[[nodiscard]] int address(port const& from, umad::ib_user_mad_hdr const& header, packet& one);

/// Fills in the header of a packet that has reached an end port: whence it came. Agent and length are left at 0.
void describe(port const& at, packet& one);

} // namespace madrigal::sim
