#include <madrigal/wire/rmpp.hpp>

#include <cassert>

namespace madrigal {
namespace {

char const* name_of(rmpp_status value) noexcept
{
    switch (value) {
    case rmpp_status::normal: return "normal";
    case rmpp_status::resources_exhausted: return "resources exhausted";
    case rmpp_status::total_time_too_long: return "total time too long";
    case rmpp_status::inconsistent_last_and_length: return "Last flag and PayloadLength disagree";
    case rmpp_status::inconsistent_first_and_segment: return "First flag and SegmentNumber disagree";
    case rmpp_status::bad_type: return "unknown RMPPType";
    case rmpp_status::new_window_too_small: return "NewWindowLast too small";
    case rmpp_status::segment_too_big: return "SegmentNumber too big";
    case rmpp_status::illegal_status: return "illegal status";
    case rmpp_status::unsupported_version: return "unsupported RMPPVersion";
    case rmpp_status::too_many_retries: return "too many retries";
    case rmpp_status::unspecified: return "unspecified";
    }
    constexpr auto first_of_class = rmpp_status{128};
    constexpr auto first_of_vendor = rmpp_status{192};
    if (value < first_of_class)
        return "reserved";
    return value < first_of_vendor ? "of the class's own" : "of a vendor's own";
}

} // namespace

std::string to_string(rmpp_type value)
{
    switch (value) {
    case rmpp_type::data: return "DATA";
    case rmpp_type::ack: return "ACK";
    case rmpp_type::stop: return "STOP";
    case rmpp_type::abort: return "ABORT";
    }
    return std::to_string(static_cast<unsigned>(value));
}

std::string to_string(rmpp_flag value)
{
    switch (value) {
    case rmpp_flag::active: return "Active";
    case rmpp_flag::first: return "First";
    case rmpp_flag::last: return "Last";
    }
    return std::to_string(static_cast<unsigned>(value));
}

std::string to_string(rmpp_status value)
{
    return std::to_string(static_cast<unsigned>(value)) + ": " + name_of(value);
}

void build_rmpp_answer(mad_view received, rmpp_header const& header, std::span<std::byte, mad_size> answer) noexcept
{
    auto const kept = class_data_offset(received.mgmt_class());
    assert(kept <= mad_size && received.bytes().size() >= kept && kept >= rmpp_headers_size);
    auto const end = std::copy_n(received.bytes().begin(), kept, answer.begin());
    std::fill(end, answer.end(), std::byte{0});
    mutable_mad_view const mad{answer};
    mad.set_method(rmpp_other_direction(received.method()));
    [[maybe_unused]] bool const fits = set_rmpp_header(mad, header);
    assert(fits);
}

std::string describe_rmpp(mad_view mad)
{
    auto const header = rmpp_header_of(mad);
    if (!header)
        return "no RMPP header";
    if (!header->flags.has(rmpp_flag::active))
        return "not active";
    auto text = to_string(header->type);
    switch (header->type) {
    case rmpp_type::data:
        text += ' ' + std::to_string(header->segment);
        if (header->flags.has(rmpp_flag::first))
            text += ", first";
        if (header->flags.has(rmpp_flag::last))
            text += ", last";
        if (header->length_or_window != 0)
            text += ", payload " + std::to_string(header->length_or_window);
        break;
    case rmpp_type::ack:
        text += ' ' + std::to_string(header->segment) + ", window up to " + std::to_string(header->length_or_window);
        break;
    default: break;
    }
    if (header->status != rmpp_status::normal || header->type == rmpp_type::stop || header->type == rmpp_type::abort)
        text += ", " + to_string(header->status);
    if (header->version != rmpp_version)
        text += ", version " + std::to_string(header->version);
    return text;
}

} // namespace madrigal
