#include <madrigal/wire/link_packet.hpp>

#include <algorithm>
#include <cassert>

namespace madrigal {
namespace {

constexpr std::size_t lrh_size = local_route_header::layout.size;
constexpr std::size_t grh_size = global_route_header::layout.size;
constexpr std::size_t bth_size = base_transport_header::layout.size;
constexpr std::size_t deth_size = datagram_transport_header::layout.size;
constexpr std::size_t icrc_size = 4;
constexpr std::size_t vcrc_size = 2;

/// The remainders of all bytes. Bits go into both sums least significant first, so the polynomials are mirrored.
template <class T>
consteval std::array<T, 256> remainders(T mirrored_polynomial)
{
    std::array<T, 256> table{};
    for (unsigned byte = 0; byte != 256; ++byte) {
        T value = static_cast<T>(byte);
        for (int bit = 0; bit != 8; ++bit)
            value = static_cast<T>((value & 1) != 0 ? (value >> 1) ^ mirrored_polynomial : value >> 1);
        table[byte] = value;
    }
    return table;
}
constexpr auto icrc_table = remainders<std::uint32_t>(0xEDB8'8320); // 0x04C11DB7, Ethernet's
constexpr auto vcrc_table = remainders<std::uint16_t>(0xD008);      // 0x100B

template <class T>
void update(T& sum, std::array<T, 256> const& table, std::span<std::byte const> bytes) noexcept
{
    for (auto const byte : bytes)
        sum = static_cast<T>((sum >> 8) ^ table[(sum ^ std::to_integer<unsigned>(byte)) & 0xFF]);
}

template <class T>
std::array<std::byte, sizeof(T)> finished(T sum) noexcept
{
    std::array<std::byte, sizeof(T)> bytes{};
    for (std::size_t i = 0; i != sizeof(T); ++i)
        bytes[i] = static_cast<std::byte>(~sum >> (8 * i));
    return bytes;
}

/// Fills a packet from the front.
class packet_writer {
public:
    explicit packet_writer(std::span<std::byte> packet) noexcept : packet_{packet} {}

    template <wire_layout T>
    void header(T const& value) noexcept
    {
        auto const place = packet_.subspan(used_, T::layout.size);
        std::fill(place.begin(), place.end(), std::byte{0}); // reserved bits
        (void)encode(value, place);
        used_ += T::layout.size;
    }
    void bytes(std::span<std::byte const> source) noexcept
    {
        std::copy(source.begin(), source.end(), packet_.subspan(used_).begin());
        used_ += source.size();
    }
    void zeros(std::size_t count) noexcept
    {
        std::fill_n(packet_.subspan(used_).begin(), count, std::byte{0});
        used_ += count;
    }
    [[nodiscard]] std::span<std::byte const> written() const noexcept { return packet_.first(used_); }

private:
    std::span<std::byte> packet_;
    std::size_t used_ = 0;
};

} // namespace

std::array<std::byte, 4> invariant_crc(std::span<std::byte const> packet) noexcept
{
    auto const lrh = decode<local_route_header>(packet);
    bool const global = lrh && lrh->next == next_link_header::global;
    auto const bth_at = lrh_size + (global ? grh_size : 0);
    assert(packet.size() >= bth_at + bth_size);

    std::array<std::byte, lrh_size + grh_size + bth_size> headers{};
    auto const before_payload = bth_at + bth_size;
    std::copy_n(packet.begin(), before_payload, headers.begin());
    constexpr std::byte ones{0xFF};
    if (global) {
        std::fill_n(headers.begin(), lrh_size, ones);
        auto* const grh = headers.data() + lrh_size;
        grh[0] |= std::byte{0x0F}; // traffic class and flow label
        std::fill_n(grh + 1, 3, ones);
        grh[7] = ones; // hop limit
    } else {
        headers[0] |= std::byte{0xF0}; // VL
    }
    headers[bth_at + 4] = ones; // congestion marks and what is reserved beside them

    std::uint32_t sum = ~std::uint32_t{0};
    update(sum, icrc_table, std::span{headers}.first(before_payload));
    update(sum, icrc_table, packet.subspan(before_payload));
    return finished(sum);
}

std::array<std::byte, 2> variant_crc(std::span<std::byte const> packet) noexcept
{
    std::uint16_t sum = 0xFFFF;
    update(sum, vcrc_table, packet);
    return finished(sum);
}

std::span<std::byte const> build_link_packet(
    std::span<std::byte, max_link_packet_size> packet, mad_route const& route, std::span<std::byte const> mad) noexcept
{
    constexpr auto after_grh = bth_size + deth_size + mad_size + icrc_size;
    packet_writer out{packet};

    local_route_header lrh;
    lrh.virtual_lane = route.virtual_lane;
    lrh.service_level = route.service_level;
    lrh.next = route.global ? next_link_header::global : next_link_header::local;
    lrh.destination = route.destination;
    lrh.length = static_cast<std::uint16_t>((lrh_size + (route.global ? grh_size : 0) + after_grh) / 4);
    lrh.source = route.source;
    out.header(lrh);

    if (route.global) {
        global_route_header grh;
        grh.version = 6;
        grh.traffic_class = route.global->traffic_class;
        grh.flow_label = route.global->flow_label;
        grh.length = after_grh;
        grh.next = iba_transport;
        grh.hop_limit = route.global->hop_limit;
        grh.source = route.global->source;
        grh.destination = route.global->destination;
        out.header(grh);
    }

    base_transport_header bth;
    bth.operation = datagram_send_only;
    bth.p_key = route.p_key;
    bth.destination_qp = route.destination_qp;
    bth.sequence_number = route.sequence_number;
    out.header(bth);

    datagram_transport_header deth;
    deth.q_key = route.q_key;
    deth.source_qp = route.source_qp;
    out.header(deth);

    auto const present = mad.first(std::min(mad.size(), mad_size));
    out.bytes(present);
    out.zeros(mad_size - present.size());
    out.bytes(invariant_crc(out.written()));
    out.bytes(variant_crc(out.written()));
    static_assert(vcrc_size == sizeof(std::uint16_t));
    return out.written();
}

} // namespace madrigal
