// The header of the reliable multi-packet protocol (IBA 13.6.2), which classes with RMPP carry behind the common one.
#pragma once

#include <madrigal/wire/flags.hpp>
#include <madrigal/wire/mad.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace madrigal {

/// RMPPType (IBA 13.6.2.1).
enum class rmpp_type : std::uint8_t {
    data = 1,
    ack = 2,
    stop = 3,
    abort = 4,
};
/// `DATA`, `ACK`, `STOP`, `ABORT`; a number for anything else.
[[nodiscard]] std::string to_string(rmpp_type value);

/// A bit of RMPPFlags (IBA 13.6.2.1).
enum class rmpp_flag : std::uint8_t {
    active = 1, ///< the packet is part of a transfer; all other fields count only with it
    first = 2,
    last = 4,
};
/// `Active`, `First`, `Last`.
[[nodiscard]] std::string to_string(rmpp_flag value);
using rmpp_flags = flags<rmpp_flag>;

/// RMPPStatus (IBA 13.6.2.2): 0 in DATA and ACK, 1 in STOP, 118 to 127 in ABORT, 128 to 191 for what a class defines,
/// 192 to 255 for vendors.
enum class rmpp_status : std::uint8_t {
    normal = 0,
    resources_exhausted = 1,
    total_time_too_long = 118,
    inconsistent_last_and_length = 119,
    inconsistent_first_and_segment = 120,
    bad_type = 121,
    new_window_too_small = 122,
    segment_too_big = 123,
    illegal_status = 124,
    unsupported_version = 125,
    too_many_retries = 126,
    unspecified = 127,
};
/// `126: too many retries`; a number and whose range it is in for a code without a name.
[[nodiscard]] std::string to_string(rmpp_status value);
/// True for what an ABORT of the protocol itself may carry: 118 to 127.
[[nodiscard]] constexpr bool is_abort_status(rmpp_status value) noexcept
{
    return value >= rmpp_status::total_time_too_long && value <= rmpp_status::unspecified;
}

/// RMPPVersion.
inline constexpr std::uint8_t rmpp_version = 1;
/// RRespTime's value for "none given".
inline constexpr std::uint8_t rmpp_no_response_time = 0x1F;

// clang-format off
#define MADRIGAL_RMPP_HEADER(field)                                                                                    \
    field(std::uint8_t, version,       "RMPPVersion",  0,  8, "version of the protocol")                               \
    field(rmpp_type,    type,          "RMPPType",     8,  8, "DATA, ACK, STOP or ABORT")                              \
    field(std::uint8_t, response_time, "RRespTime",   16,  5, "how long an answer may take: 4.096 us * 2^n, or 31")    \
    field(rmpp_flags,   flags,         "RMPPFlags",   21,  3, "Active, First, Last")                                   \
    field(rmpp_status,  status,        "RMPPStatus",  24,  8, "why a transfer ends")                                   \
    field(std::uint32_t, segment,      "Data1",       32, 32, "SegmentNumber in DATA and ACK")                         \
    field(std::uint32_t, length_or_window, "Data2",   64, 32, "PayloadLength in DATA, NewWindowLast in ACK")
// clang-format on
MADRIGAL_LAYOUT(rmpp_header, "RMPPHeader", 12, MADRIGAL_RMPP_HEADER);

/// Common header and RMPP header: what precedes the class's own header in a class with RMPP.
inline constexpr std::size_t rmpp_headers_size = mad_header_size + rmpp_header::layout.size;
/// What a segment carries as PayloadLength counts it: the class's own header is part of it, in every segment.
inline constexpr std::size_t rmpp_payload_size = mad_size - rmpp_headers_size;

/// Bytes of the class's own header, which every segment repeats: 20 of SubnAdm, 4 of the vendor classes, 28 of device
/// management. The class must have RMPP.
[[nodiscard]] constexpr std::size_t rmpp_class_header_size(management_class value) noexcept
{
    return class_data_offset(value) - rmpp_headers_size;
}
/// Bytes of data in a segment: 200 of SubnAdm, 216 of the vendor classes, 192 of device management.
[[nodiscard]] constexpr std::size_t rmpp_segment_data(management_class value) noexcept
{
    return mad_size - class_data_offset(value);
}
/// Segments that so many bytes of data take; one at least.
[[nodiscard]] constexpr std::uint64_t rmpp_segments(management_class value, std::uint64_t data_bytes) noexcept
{
    auto const each = rmpp_segment_data(value);
    return std::max<std::uint64_t>(1, data_bytes / each + (data_bytes % each != 0 ? 1 : 0));
}
/// PayloadLength of the last segment: the bytes of data in it and the class's own header.
[[nodiscard]] constexpr std::uint32_t rmpp_last_payload(management_class value, std::uint64_t data_bytes) noexcept
{
    auto const before = (rmpp_segments(value, data_bytes) - 1) * rmpp_segment_data(value);
    return static_cast<std::uint32_t>(rmpp_class_header_size(value) + data_bytes - before);
}
/// PayloadLength of the first of several segments: all bytes of data and the class's own header as often as there are
/// segments. 0 there means "not known yet". Segments between have 0.
[[nodiscard]] constexpr std::uint64_t rmpp_total_payload(management_class value, std::uint64_t data_bytes) noexcept
{
    return rmpp_segments(value, data_bytes) * rmpp_class_header_size(value) + data_bytes;
}

/// The time that an RRespTime stands for: 4.096 us * 2^n; nothing for "none given". Bits above the fifth do not count.
[[nodiscard]] constexpr std::optional<std::chrono::nanoseconds> rmpp_response_time(std::uint8_t code) noexcept
{
    code &= rmpp_no_response_time;
    if (code == rmpp_no_response_time)
        return std::nullopt;
    return std::chrono::nanoseconds{std::int64_t{4096} << code};
}

/// The RMPP header of a MAD; nothing where its class has none, or where the MAD ends before the class's data begins.
[[nodiscard]] constexpr std::optional<rmpp_header> rmpp_header_of(mad_view mad) noexcept
{
    if (!has_rmpp(mad.mgmt_class()) || mad.bytes().size() < class_data_offset(mad.mgmt_class()))
        return std::nullopt;
    return decode<rmpp_header>(mad.bytes().subspan(mad_header_size));
}
/// Writes the RMPP header; false where the MAD is too short. Its class is not looked at.
[[nodiscard]] constexpr bool set_rmpp_header(mutable_mad_view mad, rmpp_header const& header) noexcept
{
    return encode(header, mad.bytes().subspan(mad_header_size));
}
/// True for a packet of a transfer: class with RMPP, header there, Active set.
[[nodiscard]] constexpr bool is_active_rmpp(mad_view mad) noexcept
{
    auto const header = rmpp_header_of(mad);
    return header && header->flags.has(rmpp_flag::active);
}

/// The method of packets that go the other way in a transfer: the R bit turned.
[[nodiscard]] constexpr method rmpp_other_direction(method value) noexcept
{
    return static_cast<method>(static_cast<std::uint8_t>(value) ^ response_bit);
}

/// Makes an ACK, STOP or ABORT to a packet of the other side: its common header with the method turned, this RMPP
/// header, its class header, and zeroes. `received` must have an RMPP header (`rmpp_header_of`).
void build_rmpp_answer(mad_view received, rmpp_header const& header, std::span<std::byte, mad_size> answer) noexcept;

/// A packet of a transfer in a line: `DATA 3, last, payload 45`, `ACK 64, window up to 128`, `ABORT, 126: too many
/// retries`; `not active` and `no RMPP header` for others.
[[nodiscard]] std::string describe_rmpp(mad_view mad);

} // namespace madrigal
