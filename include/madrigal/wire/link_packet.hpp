// What stands around a MAD on a link: the headers before it and the check sums after it.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/mad.hpp>
#include <madrigal/wire/p_key.hpp>
#include <madrigal/wire/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace madrigal {

/// LRH:LNH (IBA 7.7.5): which header follows the LRH.
enum class next_link_header : std::uint8_t {
    raw = 0,
    ipv6 = 1,
    local = 2,  ///< BTH
    global = 3, ///< GRH, then BTH
};

// clang-format off
#define MADRIGAL_LOCAL_ROUTE_HEADER(field)                                                                             \
    field(std::uint8_t,     virtual_lane,  "VL",       0,  4, "virtual lane; 15 is subnet management's")               \
    field(std::uint8_t,     version,       "LVer",     4,  4, "version of the link header: 0")                         \
    field(std::uint8_t,     service_level, "SL",       8,  4, "service level")                                         \
    field(next_link_header, next,          "LNH",     14,  2, "what follows")                                          \
    field(lid,              destination,   "DLID",    16, 16, "whereto")                                               \
    field(std::uint16_t,    length,        "PktLen",  37, 11, "words of 4 bytes up to and with the ICRC")              \
    field(lid,              source,        "SLID",    48, 16, "wherefrom")

#define MADRIGAL_GLOBAL_ROUTE_HEADER(field)                                                                            \
    field(std::uint8_t,  version,       "IPVer",    0,   4, "6")                                                       \
    field(std::uint8_t,  traffic_class, "TClass",   4,   8, "traffic class")                                           \
    field(std::uint32_t, flow_label,    "FlowLabel", 12, 20, "flow label")                                             \
    field(std::uint16_t, length,        "PayLen",  32,  16, "bytes after this header up to and with the ICRC")         \
    field(std::uint8_t,  next,          "NxtHdr",  48,   8, "0x1b: an IBA transport follows", hexadecimal)             \
    field(std::uint8_t,  hop_limit,     "HopLmt",  56,   8, "routers on the way at most")                              \
    field(gid,           source,        "SGID",    64, 128, "wherefrom")                                               \
    field(gid,           destination,   "DGID",   192, 128, "whereto")

#define MADRIGAL_BASE_TRANSPORT_HEADER(field)                                                                          \
    field(std::uint8_t,  operation,       "OpCode",   0,  8, "what kind of packet", hexadecimal)                       \
    field(bool,          solicited,       "SE",       8,  1, "solicited event")                                        \
    field(bool,          migrated,        "M",        9,  1, "migration state")                                        \
    field(std::uint8_t,  padding,         "PadCnt",  10,  2, "bytes of padding after the payload")                     \
    field(std::uint8_t,  version,         "TVer",    12,  4, "version of the transport header: 0")                     \
    field(std::uint16_t, p_key,           "P_Key",   16, 16, "partition", hexadecimal)                                 \
    field(std::uint32_t, destination_qp,  "DestQP",  40, 24, "queue pair that it is for")                              \
    field(bool,          ack_request,     "A",       64,  1, "an acknowledgement is wanted")                           \
    field(std::uint32_t, sequence_number, "PSN",     72, 24, "packet sequence number")

#define MADRIGAL_DATAGRAM_TRANSPORT_HEADER(field)                                                                      \
    field(std::uint32_t, q_key,     "Q_Key",  0, 32, "queue key", hexadecimal)                                         \
    field(std::uint32_t, source_qp, "SrcQP", 40, 24, "queue pair that it is from")
// clang-format on

/// LRH (IBA 7.7): routes a packet within a subnet.
MADRIGAL_LAYOUT(local_route_header, "LRH", 8, MADRIGAL_LOCAL_ROUTE_HEADER);
/// GRH (IBA 8.3): routes a packet between subnets.
MADRIGAL_LAYOUT(global_route_header, "GRH", 40, MADRIGAL_GLOBAL_ROUTE_HEADER);
/// BTH (IBA 9.2).
MADRIGAL_LAYOUT(base_transport_header, "BTH", 12, MADRIGAL_BASE_TRANSPORT_HEADER);
/// DETH (IBA 9.3.3).
MADRIGAL_LAYOUT(datagram_transport_header, "DETH", 8, MADRIGAL_DATAGRAM_TRANSPORT_HEADER);

/// BTH:OpCode of an unreliable datagram in one packet (IBA 9.2.1).
inline constexpr std::uint8_t datagram_send_only = 0x64;
/// GRH:NxtHdr of InfiniBand's own transport (IBA 8.3).
inline constexpr std::uint8_t iba_transport = 0x1B;
/// The virtual lane of SMPs, which has no flow control (IBA 7.6.1).
inline constexpr std::uint8_t management_lane = 15;

/// A GRH as far as it is not the same in every MAD. Integers are in host byte order.
struct mad_global_route {
    gid source;
    gid destination;
    std::uint8_t traffic_class = 0;
    std::uint32_t flow_label = 0; ///< 20 bits
    std::uint8_t hop_limit = 0;

    friend bool operator==(mad_global_route const&, mad_global_route const&) = default;
};

/// How a MAD goes over a link, as far as it is not the same for all. Integers are in host byte order.
struct mad_route {
    lid source;
    lid destination;
    std::uint8_t virtual_lane = 0;          ///< 4 bits
    std::uint8_t service_level = 0;         ///< 4 bits
    std::optional<mad_global_route> global; ///< with a GRH
    std::uint16_t p_key = default_p_key;
    std::uint32_t q_key = 0;
    std::uint32_t source_qp = 0;       ///< 24 bits
    std::uint32_t destination_qp = 0;  ///< 24 bits
    std::uint32_t sequence_number = 0; ///< 24 bits

    friend bool operator==(mad_route const&, mad_route const&) = default;
};

/// The longest packet with a MAD: LRH, GRH, BTH, DETH, MAD, ICRC, VCRC.
inline constexpr std::size_t max_link_packet_size = local_route_header::layout.size + global_route_header::layout.size +
                                                    base_transport_header::layout.size +
                                                    datagram_transport_header::layout.size + mad_size + 4 + 2;
static_assert(max_link_packet_size == 330);

/// Builds the packet that carries a MAD over a link, check sums included: LRH, GRH where there is one, BTH, DETH, MAD,
/// ICRC, VCRC, as Wireshark expects it of LINKTYPE_INFINIBAND. A shorter MAD than 256 bytes is filled up with zeros, as
/// on the wire; of a longer one (an RMPP message in one piece) its first 256 bytes are taken. Returns the part of
/// `packet` that was filled.
std::span<std::byte const> build_link_packet(
    std::span<std::byte, max_link_packet_size> packet, mad_route const& route, std::span<std::byte const> mad) noexcept;

/// The ICRC (IBA 7.8.1) of a packet that begins with an LRH, as it stands in it, first byte first. `packet` ends where
/// the ICRC begins. What changes on the way does not count: the VL, and with a GRH all of the LRH, traffic class, flow
/// label and hop limit. Precondition: as long as the headers that it says it has, LRH and BTH at least.
[[nodiscard]] std::array<std::byte, 4> invariant_crc(std::span<std::byte const> packet) noexcept;
/// The VCRC (IBA 7.8.2) of a packet from its LRH to its ICRC, as it stands in it, first byte first.
[[nodiscard]] std::array<std::byte, 2> variant_crc(std::span<std::byte const> packet) noexcept;

} // namespace madrigal
