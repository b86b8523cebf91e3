// The status of an answer (IBA 13.4.7), with names.
#pragma once

#include <madrigal/wire/management_class.hpp>

#include <cstdint>
#include <string>

namespace madrigal {

/// Values of Status in host byte order (IBA 13.4.7). `busy` and `redirect_required` are bits; the others share bits 2
/// to 4.
namespace mad_status {
inline constexpr std::uint16_t ok = 0x0000;
inline constexpr std::uint16_t busy = 0x0001;
inline constexpr std::uint16_t redirect_required = 0x0002;
inline constexpr std::uint16_t bad_version = 0x0004;
inline constexpr std::uint16_t unsupported_method = 0x0008;
inline constexpr std::uint16_t unsupported_method_attribute = 0x000C;
inline constexpr std::uint16_t invalid_value = 0x001C;
inline constexpr std::uint16_t invalid_field_mask = 0x001C;
/// Bits that a class defines for itself. In a directed-route SMP bit 15 is the direction bit and no status.
inline constexpr std::uint16_t class_specific_mask = 0x7F00;
/// The D bit of a directed-route SMP: set on the way back.
inline constexpr std::uint16_t direction_bit = 0x8000;

/// SubnAdm's own values (IBA 15.2.3).
inline constexpr std::uint16_t sa_no_resources = 0x0100;
inline constexpr std::uint16_t sa_request_invalid = 0x0200;
inline constexpr std::uint16_t sa_no_records = 0x0300;
inline constexpr std::uint16_t sa_too_many_records = 0x0400;
inline constexpr std::uint16_t sa_invalid_gid = 0x0500;
inline constexpr std::uint16_t sa_insufficient_components = 0x0600;
inline constexpr std::uint16_t sa_request_denied = 0x0700;
inline constexpr std::uint16_t sa_priority_suggested = 0x0800;
} // namespace mad_status

/// What a status (host byte order) of a class says: `0x000c: the method is not supported for this attribute`. For a
/// directed-route SMP the direction bit is ignored. `0x0000: success` for 0.
[[nodiscard]] std::string describe_status(management_class class_of_mad, std::uint16_t status);

} // namespace madrigal
