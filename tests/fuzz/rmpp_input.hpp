// How the bytes of a fuzzer become packets of RMPP.
#pragma once

#include <madrigal/engine/rmpp.hpp>
#include <madrigal/engine/time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fuzzer/FuzzedDataProvider.h>

namespace madrigal::fuzz {

/// Ends the program where something does not hold that should, whatever the build type.
inline void expect(bool holds, char const* what)
{
    if (holds)
        return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

inline constexpr time_point start = time_point{std::chrono::hours{1}};

/// Byte `i` of the data of every message.
inline std::byte filling(std::uint64_t i)
{
    return static_cast<std::byte>(i * 31 + i / 251);
}

inline management_class any_rmpp_class(FuzzedDataProvider& input)
{
    return input.PickValueInArray({management_class::subnet_administration, management_class{0x30},
        management_class{0x4F}, management_class::device_management, management_class::bis});
}

/// Numbers around which machines may go wrong, and any others.
inline std::uint32_t any_number(FuzzedDataProvider& input, std::uint32_t near)
{
    switch (input.ConsumeIntegralInRange(0, 5)) {
    case 0: return input.PickValueInArray<std::uint32_t>({0, 1, 19, 20, 63, 64, 65, 219, 220, 221, 0x7FFFFFFF, ~0U});
    case 1: return input.ConsumeIntegral<std::uint32_t>();
    case 2: return input.ConsumeIntegralInRange<std::uint32_t>(0, 300);
    default: return near + input.ConsumeIntegralInRange<std::uint32_t>(0, 4) - 2;
    }
}

/// A packet of a transfer, honest or not, of this method. `near` is the segment that the machine expects.
inline std::array<std::byte, mad_size> any_packet(
    FuzzedDataProvider& input, management_class of, method how, std::uint32_t near)
{
    std::array<std::byte, mad_size> bytes{};
    mutable_mad_view const mad{bytes};
    mad.set_base_version(1);
    mad.set_mgmt_class(of);
    mad.set_class_version(default_class_version(of));
    mad.set_method(how);
    mad.set_transaction_id(1);
    rmpp_header header{.version = rmpp_version,
        .type = rmpp_type::data,
        .response_time = input.ConsumeIntegral<std::uint8_t>(),
        .flags = rmpp_flag::active,
        .segment = near};
    auto const kind = input.ConsumeIntegral<std::uint8_t>();
    if (kind % 16 == 0)
        header.version = input.ConsumeIntegral<std::uint8_t>();
    if (kind % 4 == 1)
        header.type = static_cast<rmpp_type>(input.ConsumeIntegral<std::uint8_t>());
    if (kind % 16 == 2)
        header.status = static_cast<rmpp_status>(input.ConsumeIntegral<std::uint8_t>());
    if (kind % 2 == 1 || header.type != rmpp_type::data) {
        header.segment = any_number(input, near);
        header.length_or_window = any_number(input, near);
        header.flags = header.flags | rmpp_flags::from_value(input.ConsumeIntegralInRange<std::uint8_t>(0, 7));
    } else {
        header.flags.set(rmpp_flag::first, header.segment == 1);
        if (kind % 32 == 30) {
            header.flags.set(rmpp_flag::last);
            header.length_or_window = input.ConsumeIntegralInRange<std::uint32_t>(0, 230);
        }
    }
    (void)set_rmpp_header(mad, header);
    auto const each = rmpp_segment_data(of);
    for (std::size_t i = 0; i != each; ++i)
        bytes[class_data_offset(of) + i] = filling(std::uint64_t{header.segment - 1} * each + i);
    return bytes;
}

inline duration any_time(FuzzedDataProvider& input)
{
    return std::chrono::milliseconds{input.PickValueInArray({0, 0, 0, 1, 499, 500, 2'000, 9'999, 15'000, 40'000})};
}

/// What every answer of a machine must be.
inline void check_reply(engine::rmpp_reply const& reply, method how)
{
    if (reply.empty())
        return;
    mad_view const mad{reply.mad()};
    auto const header = rmpp_header_of(mad);
    expect(header && header->flags.has(rmpp_flag::active), "an answer is a packet of the transfer");
    expect(header->version == rmpp_version, "of the only version");
    expect(mad.method() == how, "and goes its way");
    expect(header->type == rmpp_type::ack || header->type == rmpp_type::stop || header->type == rmpp_type::abort,
        "ACK, STOP or ABORT");
    expect((header->type == rmpp_type::ack) == (header->status == rmpp_status::normal), "that says why");
    if (header->type == rmpp_type::ack)
        expect(header->length_or_window >= header->segment, "with a window that is possible");
    for (auto at = class_data_offset(mad.mgmt_class()); at != mad_size; ++at)
        expect(reply.mad()[at] == std::byte{0}, "and has no byte of elsewhere");
}

} // namespace madrigal::fuzz
