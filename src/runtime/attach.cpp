// Messages longer than a packet, as they are handed to an agent.
#include <madrigal/runtime/detail/agent_core.hpp>
#include <madrigal/runtime/detail/build.hpp>

#include "runtime/packet_parts.hpp"

#include <madrigal/wire/rmpp.hpp>

#include <algorithm>
#include <limits>
#include <new>

namespace madrigal::detail {
namespace {

/// The header of a umad packet counts its length in 32 bits.
constexpr std::size_t longest = std::numeric_limits<std::uint32_t>::max() - umad::header_size;

/// Headers of the class as they stand in the packet, and the data behind them.
errc attach(engine::packet& packet, std::size_t offset, std::span<std::byte const> data)
{
    auto const size = offset + data.size();
    if (data.size() > longest - offset)
        return errc::invalid_argument;
    auto attachment = std::make_unique<engine::packet_attachment>();
    attachment->message = engine::whole_message::uncharged(umad::header_size + size);
    if (attachment->message.empty())
        return errc::queue_full;
    // Kernels look for this flag; the agent's own transfers set all of the header themselves.
    auto const mad = packet.contents().subspan(umad::header_size);
    (void)set_rmpp_header(mutable_mad_view{mad}, {.version = rmpp_version,
                                                     .type = rmpp_type::data,
                                                     .response_time = rmpp_no_response_time,
                                                     .flags = rmpp_flag::active});
    auto const bytes = attachment->message.bytes();
    std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(umad::header_size + offset));
    auto const in_packet = std::min(bytes.size(), engine::packet::capacity);
    packet.assume(in_packet);
    std::copy_n(data.begin(), in_packet - umad::header_size - offset,
        packet.bytes.begin() + static_cast<std::ptrdiff_t>(umad::header_size + offset));
    std::copy_n(packet.bytes.begin(), in_packet, bytes.begin());
    if (packet.more)
        attachment->stream = std::move(packet.more->stream);
    packet.more = std::move(attachment);
    return errc{};
}

errc check(agent_core const& agent, engine::packet& packet) noexcept
{
    return agent.rmpp() == rmpp_by::nobody || !has_rmpp(mad_of(packet).mgmt_class()) ? errc::invalid_argument : errc{};
}

} // namespace

errc attach_message(agent_core const& agent, engine::packet& packet, std::span<std::byte const> message) noexcept
{
    if (auto const refused = check(agent, packet); refused != errc{})
        return refused;
    auto const offset = class_data_offset(mad_of(packet).mgmt_class());
    if (message.size() < offset)
        return errc::invalid_argument;
    try {
        return attach(packet, offset, message.subspan(offset));
    } catch (std::bad_alloc const&) {
        return errc::queue_full;
    }
}

errc attach_data(agent_core const& agent, engine::packet& packet, std::span<std::byte const> data) noexcept
{
    if (auto const refused = check(agent, packet); refused != errc{})
        return refused;
    try {
        return attach(packet, class_data_offset(mad_of(packet).mgmt_class()), data);
    } catch (std::bad_alloc const&) {
        return errc::queue_full;
    }
}

} // namespace madrigal::detail
