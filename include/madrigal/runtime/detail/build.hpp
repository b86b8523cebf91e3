// Turns what is asked of whom into a packet for the kernel.
#pragma once

#include <madrigal/engine/packet.hpp>
#include <madrigal/error.hpp>
#include <madrigal/runtime/destination.hpp>
#include <madrigal/umad/registration.hpp>
#include <madrigal/wire/mad.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

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

class agent_core;

/// Makes a packet with umad header and MAD the beginning of this message, headers and data, that goes by RMPP as its
/// agent does it. errc::invalid_argument where the agent, or the MAD's class, has no RMPP, or where the message ends
/// before its data begins; errc::queue_full where memory is short.
[[nodiscard]] errc attach_message(
    agent_core const& agent, engine::packet& packet, std::span<std::byte const> message) noexcept;

/// The same for data that follows the headers of the packet's MAD. What the packet's MAD has had there is replaced.
[[nodiscard]] errc attach_data(
    agent_core const& agent, engine::packet& packet, std::span<std::byte const> data) noexcept;

} // namespace madrigal::detail
