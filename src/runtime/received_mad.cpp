#include <madrigal/runtime/received_mad.hpp>

#include <algorithm>

namespace madrigal {
namespace {

gid source_gid_of(umad::ib_user_mad_hdr const& header) noexcept
{
    gid::bytes_type bytes;
    std::copy(std::begin(header.gid), std::end(header.gid), bytes.begin());
    return gid{bytes};
}

} // namespace

std::optional<gid> received_mad::source_gid() const noexcept
{
    if (address().grh_present == 0)
        return std::nullopt;
    return source_gid_of(address());
}

std::span<std::byte const> received_mad::payload() const noexcept
{
    return mad().data();
}

std::span<std::byte> received_mad::whole_mad() noexcept
{
    auto& packet = *packet_;
    auto const full = umad::header_size + mad_size;
    if (packet.size < full) {
        std::fill(packet.bytes.begin() + packet.size, packet.bytes.begin() + full, std::byte{0});
        packet.assume(full);
    }
    return mutable_bytes().first(mad_size);
}

void received_mad::give_data(engine::data_sink const& sink)
{
    auto const all = bytes();
    auto const data = payload();
    auto const headers = all.first(all.size() - data.size());
    sink(headers, data);
    auto const kept = static_cast<std::uint32_t>(umad::header_size + headers.size());
    packet_->more.reset();
    packet_->assume(std::min(packet_->size, kept));
}

destination received_mad::reply_to() const noexcept
{
    auto const& from = address();
    lid const source{from.lid.value()};
    auto to = from.grh_present == 0 ? destination{source}
                                    : destination{global_route{.destination = source_gid_of(from),
                                                      .source_gid_index = from.gid_index,
                                                      .traffic_class = from.traffic_class,
                                                      .flow_label = from.flow_label.value()},
                                          source};
    bool const smp = is_smp(mad().mgmt_class());
    to = to.with_sl(from.sl).with_path_bits(from.path_bits);
    return smp ? to : to.with_pkey_index(from.pkey_index).with_qp(from.qpn.value(), gsi_qkey);
}

} // namespace madrigal
