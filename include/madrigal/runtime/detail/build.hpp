// Turns what is asked of whom into a packet for the kernel.
#pragma once

#include <madrigal/engine/packet.hpp>
#include <madrigal/error.hpp>
#include <madrigal/runtime/destination.hpp>
#include <madrigal/umad/registration.hpp>
#include <madrigal/wire/mad.hpp>

#include <cstdint>

namespace madrigal::detail {

/// What a typed question says besides its destination and data.
struct question {
    method ask = method::get;
    std::uint16_t attribute_id = 0;
    std::uint32_t modifier = 0; ///< host byte order
    std::uint64_t m_key = 0;
};

/// Fills a packet with umad header and MAD, all 320 bytes, for an agent of this registration. An agent of a subnet
/// management class may ask along routes and LIDs, any other by LID and GID; false for the rest.
[[nodiscard]] bool build_request(
    engine::packet& packet, umad::registration const& agent, destination const& to, question const& what) noexcept;

/// Fills the umad header alone, in front of a MAD of the class given.
void build_header(engine::packet& packet, management_class of, destination const& to) noexcept;

} // namespace madrigal::detail
