// Questions, messages and agents of class 0x03 for the cases about RMPP.
#pragma once

#include "conformance/raw_file.hpp"

#include <madrigal/wire/rmpp.hpp>

#include <algorithm>

namespace madrigal::conformance {

/// Where the data of class 0x03 begins, and how much of it a segment has.
inline constexpr std::size_t sa_data_offset = class_data_offset(management_class::subnet_administration);
inline constexpr std::size_t sa_segment_data = rmpp_segment_data(management_class::subnet_administration);

/// Byte `i` of the data of every message.
inline std::byte sa_filling(std::size_t i)
{
    return static_cast<std::byte>(i * 31 + i / 251);
}

/// An agent of class 0x03 with RMPP, done by the kernel or by itself.
inline std::uint32_t sa_agent(raw_file& file, bool by_itself, std::initializer_list<unsigned> methods = {})
{
    auto request = wanted(static_cast<std::uint8_t>(management_class::subnet_administration), methods, 2);
    request.rmpp_version = 1;
    request.flags = by_itself ? umad::user_rmpp : 0;
    return file.agent(request);
}

/// A GetTable of class 0x03 to the port itself, all behind its header zero.
inline packet sa_question(world& on, std::uint32_t agent, std::uint32_t number)
{
    auto one = question(on, agent, number, method::get_table, 20'000);
    std::fill(one.bytes.begin() + mad_header_size, one.bytes.end(), std::byte{0});
    one.mad().set_mgmt_class(management_class::subnet_administration);
    one.mad().set_class_version(2);
    return one;
}

/// A message with this method and the other headers of `headers`, and so much data.
inline std::vector<std::byte> sa_message(mad_view headers, method how, std::size_t size)
{
    std::vector<std::byte> bytes(sa_data_offset + size);
    std::copy_n(headers.bytes().begin(), mad_header_size, bytes.begin());
    mutable_mad_view const mad{bytes};
    mad.set_method(how);
    (void)set_rmpp_header(mad, {.version = 1, .type = rmpp_type::data, .flags = rmpp_flag::active});
    for (std::size_t i = 0; i != size; ++i)
        bytes[sa_data_offset + i] = sa_filling(i);
    return bytes;
}

} // namespace madrigal::conformance
