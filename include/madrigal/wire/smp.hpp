// Subnet management packets, LID routed and directed route (IBA 14.2.1).
#pragma once

#include <madrigal/wire/directed_route.hpp>
#include <madrigal/wire/mad.hpp>
#include <madrigal/wire/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace madrigal {

inline constexpr std::size_t smp_data_offset = 64;
inline constexpr std::size_t smp_data_size = 64;
inline constexpr std::size_t smp_initial_path_offset = 128;
inline constexpr std::size_t smp_return_path_offset = 192;
inline constexpr std::size_t smp_path_size = 64;

// clang-format off
#define MADRIGAL_LID_ROUTED_SMP(field)                                                                                 \
    MADRIGAL_MAD_HEADER(field)                                                                                         \
    field(std::uint64_t, m_key, "M_Key",   192,  64, "management key of the node asked", hexadecimal)                  \
    field(raw_bytes<64>, data,  "SMPData", 512, 512, "the attribute")
// clang-format on
/// A LID-routed SMP (IBA 14.2.1.1).
MADRIGAL_LAYOUT(lid_routed_smp, "LidRoutedSMP", 256, MADRIGAL_LID_ROUTED_SMP);

/// InitialPath and ReturnPath of a directed-route SMP; entry 0 is unused.
using smp_path = std::array<std::uint8_t, smp_path_size>;

// clang-format off
#define MADRIGAL_DIRECTED_ROUTE_SMP(field)                                                                             \
    field(std::uint8_t,  base_version,   "BaseVersion",     0,   8, "version of the MAD format")                       \
    field(management_class, mgmt_class,  "MgmtClass",       8,   8, "0x81")                                            \
    field(std::uint8_t,  class_version,  "ClassVersion",   16,   8, "version of the class's format")                   \
    field(method,        method_of_mad,  "Method",         24,   8, "what to do, and the response bit")                \
    field(bool,          returning,      "D",              32,   1, "direction: set on the way back")                  \
    field(std::uint16_t, status,         "Status",         33,  15, "outcome in an answer", hexadecimal)               \
    field(std::uint8_t,  hop_pointer,    "HopPointer",     48,   8, "where in the path the packet is")                 \
    field(std::uint8_t,  hop_count,      "HopCount",       56,   8, "links in the directed part")                      \
    field(std::uint64_t, transaction_id, "TransactionID", 64, 64,   "pairs an answer with its request", hexadecimal)   \
    field(std::uint16_t, attribute_id,   "AttributeID",   128,  16, "what it is about", hexadecimal)                   \
    field(std::uint32_t, attribute_modifier, "AttributeModifier", 160, 32, "which part of it", hexadecimal)            \
    field(std::uint64_t, m_key,          "M_Key",         192,  64, "management key of the node asked", hexadecimal)   \
    field(lid,           dr_slid,        "DrSLID",        256,  16, "source of a LID-routed start, 65535 for none")    \
    field(lid,           dr_dlid,        "DrDLID",        272,  16, "destination of a LID-routed end, 65535 for none") \
    field(raw_bytes<64>, data,           "SMPData",       512, 512, "the attribute")                                   \
    field(smp_path,      initial_path,   "InitialPath",  1024,   8, "ports to leave by")                               \
    field(smp_path,      return_path,    "ReturnPath",   1536,   8, "ports come in by, as the switches fill them in")
// clang-format on
/// A directed-route SMP (IBA 14.2.1.2).
MADRIGAL_LAYOUT(directed_route_smp, "DirectedRouteSMP", 256, MADRIGAL_DIRECTED_ROUTE_SMP);

/// What an SMP asks for; all in host byte order.
struct smp_request {
    method method_of_mad = method::get;
    std::uint64_t transaction_id = 0;
    std::uint16_t attribute_id = 0;
    std::uint32_t attribute_modifier = 0;
    std::uint64_t m_key = 0;
};

/// Fills all 256 bytes with a directed-route SMP as its sender hands it to QP 0: hop pointer 0, direction out. A LID
/// other than the permissive one makes a mixed route: `dr_slid` where the way to the start of the directed part is LID
/// routed, `dr_dlid` where the way from its end is. The data is zero; `mutable_mad_view::set_attribute` fills it.
void build_directed_route_smp(std::span<std::byte, mad_size> packet, smp_request const& request,
    directed_route const& route, lid dr_slid = permissive_lid, lid dr_dlid = permissive_lid) noexcept;
/// The same, argument by argument.
void build_directed_route_smp(std::span<std::byte, mad_size> packet, method method_of_mad, std::uint64_t transaction_id,
    std::uint16_t attribute_id, std::uint32_t attribute_modifier, std::uint64_t m_key, directed_route const& route,
    lid dr_slid = permissive_lid, lid dr_dlid = permissive_lid) noexcept;

/// Fills all 256 bytes with a LID-routed SMP. The data is zero.
void build_lid_routed_smp(std::span<std::byte, mad_size> packet, smp_request const& request) noexcept;
/// The same, argument by argument.
void build_lid_routed_smp(std::span<std::byte, mad_size> packet, method method_of_mad, std::uint64_t transaction_id,
    std::uint16_t attribute_id, std::uint32_t attribute_modifier, std::uint64_t m_key) noexcept;

/// The 64 bytes of attribute in an SMP.
[[nodiscard]] constexpr std::span<std::byte, smp_data_size> smp_data(std::span<std::byte, mad_size> packet) noexcept
{
    return packet.subspan<smp_data_offset, smp_data_size>();
}
[[nodiscard]] constexpr std::span<std::byte const, smp_data_size> smp_data(
    std::span<std::byte const, mad_size> packet) noexcept
{
    return packet.subspan<smp_data_offset, smp_data_size>();
}

} // namespace madrigal
