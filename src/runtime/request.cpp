#include <madrigal/runtime/request.hpp>

#include <madrigal/runtime/detail/build.hpp>
#include <madrigal/wire/rmpp.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace madrigal {
namespace {

/// Routers on the way back count as those on the way here, whose count has been used up.
constexpr std::uint8_t reply_hop_limit = 64;

} // namespace

void mad_payload::copy_from(std::span<std::byte const> data) const noexcept
{
    auto const count = std::min(data.size(), bytes_.size());
    std::copy_n(data.begin(), count, bytes_.begin());
    std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(count), bytes_.end(), std::byte{0});
}

request::request(std::shared_ptr<detail::agent_core> agent, engine::packet_ptr packet) noexcept
    : agent_{std::move(agent)}, received_{std::move(packet)}
{}

mad_payload request::payload() noexcept
{
    return mad_payload{mutable_mad_view{received_.mutable_bytes()}.data()};
}

mutable_mad_view request::answer() noexcept
{
    return mutable_mad_view{received_.whole_mad()};
}

engine::packet_ptr request::take_reply(std::span<std::byte const> data, std::uint16_t status, errc& refused)
{
    auto packet = make_reply(status);
    if (!packet)
        return {};
    mutable_mad_view const mad{packet->contents().subspan(umad::header_size)};
    bool const many = mad.method() == method::get_table_response || mad.method() == method::get_multi_response;
    bool const by_rmpp = many || is_active_rmpp(mad);
    if (!by_rmpp && data.size() <= mad.data().size()) {
        mad_payload{mad.data()}.copy_from(data);
        return as_one_mad(std::move(packet));
    }
    refused = detail::attach_data(*agent_, *packet, data);
    return refused == errc{} ? std::move(packet) : engine::packet_ptr{};
}

engine::packet_ptr request::take_reply(std::uint16_t status, errc& refused)
{
    auto packet = make_reply(status);
    if (!packet)
        return {};
    mutable_mad_view const mad{packet->contents().subspan(umad::header_size)};
    // What has been asked by a transfer is answered by one: the asker's kernel has forgotten the question otherwise.
    if (!is_active_rmpp(mad) || agent_->rmpp() == rmpp_by::nobody)
        return as_one_mad(std::move(packet));
    std::array<std::byte, mad_size> data{};
    auto const size = mad.data().size();
    std::copy_n(mad.data().begin(), size, data.begin());
    refused = detail::attach_data(*agent_, *packet, std::span{data}.first(size));
    return refused == errc{} ? std::move(packet) : engine::packet_ptr{};
}

engine::packet_ptr request::take_reply(reply_stream const& data, std::uint16_t status, errc& refused)
{
    auto packet = make_reply(status);
    if (!packet)
        return {};
    mutable_mad_view const mad{packet->contents().subspan(umad::header_size)};
    if (agent_->rmpp() != rmpp_by::agent || !has_rmpp(mad.mgmt_class())) {
        refused = errc::invalid_argument;
        return {};
    }
    packet->more = std::make_unique<engine::packet_attachment>();
    packet->more->growing = data.state();
    return packet;
}

engine::packet_ptr request::as_one_mad(engine::packet_ptr packet) const noexcept
{
    // An agent without RMPP says itself what stands there.
    mutable_mad_view const mad{packet->contents().subspan(umad::header_size)};
    if (agent_->rmpp() != rmpp_by::nobody && has_rmpp(mad.mgmt_class()))
        (void)set_rmpp_header(mad, {});
    return packet;
}

engine::packet_ptr request::make_reply(std::uint16_t status)
{
    if (std::exchange(replied_, true))
        return {};
    (void)answer(); // what arrived shorter than a MAD is answered with a whole one
    auto packet = received_.release();
    packet->more.reset();
    auto& header = *reinterpret_cast<umad::ib_user_mad_hdr*>(packet->bytes.data());
    header.status = 0;
    header.timeout_ms = 0;
    header.retries = 0;
    if (header.grh_present != 0)
        header.hop_limit = reply_hop_limit;
    mutable_mad_view const mad{packet->contents().subspan(umad::header_size)};
    bool const directed = mad.mgmt_class() == management_class::subnet_directed_route;
    if (is_smp(mad.mgmt_class())) {
        header.qkey.set(0);
        header.pkey_index = 0; // QP0 has no P_Key; what the kernel reports there means nothing
    } else {
        header.qkey.set(gsi_qkey);
    }
    mad.set_method(response_to(mad.method()));
    mad.set_status(directed ? static_cast<std::uint16_t>(status | mad_status::direction_bit) : status);
    return packet;
}

} // namespace madrigal
