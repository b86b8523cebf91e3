// The two halves of a packet.
#pragma once

#include <madrigal/engine/packet.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/mad.hpp>

#include <span>
#include <utility>

namespace madrigal::detail {

/// The umad header, in its 64-byte form.
[[nodiscard]] inline umad::ib_user_mad_hdr& header_of(engine::packet& packet) noexcept
{
    return *reinterpret_cast<umad::ib_user_mad_hdr*>(packet.bytes.data());
}

/// The MAD. The packet must be valid at least to the end of the MAD's header.
[[nodiscard]] inline mad_view mad_of(engine::packet& packet) noexcept
{
    return mad_view{std::as_const(packet).contents().subspan(umad::header_size)};
}

} // namespace madrigal::detail
