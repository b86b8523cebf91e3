#include "conformance/raw_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace madrigal::conformance {
namespace {

constexpr std::size_t oui_offset = 37;
constexpr std::uint32_t gsi_q_key = 0x8001'0000;
/// More than any RMPP message of the suite.
constexpr std::size_t largest = std::size_t{4} << 20;

} // namespace

umad::ib_user_mad_reg_req2 wanted(
    std::uint8_t mgmt_class, std::initializer_list<unsigned> methods, std::uint8_t version)
{
    umad::ib_user_mad_reg_req2 request{};
    request.mgmt_class = mgmt_class;
    request.mgmt_class_version = version;
    request.qpn = umad::qpn_of_class(mgmt_class);
    for (auto const method : methods)
        request.method_mask[method / 64] |= std::uint64_t{1} << method % 64;
    return request;
}

umad::ib_user_mad_reg_req2 wanted_vendor(std::initializer_list<unsigned> methods, std::uint32_t with_oui)
{
    auto request = wanted(vendor, methods);
    request.oui = with_oui;
    return request;
}

int raw_file::enable_pkey()
{
    auto const code = file_->enable_pkey();
    if (!code)
        header_size_ = umad::header_size;
    return code.value();
}

int raw_file::register_agent(umad::ib_user_mad_reg_req2& request)
{
    auto const code = file_->register_agent2(request);
    if (!code && !used_)
        header_size_ = umad::header_size;
    used_ = used_ || !code;
    return code.value();
}

int raw_file::register_agent(umad::ib_user_mad_reg_req& request)
{
    auto const code = file_->register_agent(request);
    used_ = used_ || !code;
    return code.value();
}

int raw_file::unregister(std::uint32_t id)
{
    return file_->unregister_agent(id).value();
}

std::uint32_t raw_file::agent(umad::ib_user_mad_reg_req2 request)
{
    EXPECT_EQ(register_agent(request), 0) << "class " << unsigned{request.mgmt_class};
    return request.id;
}

int raw_file::write(std::span<std::byte const> bytes)
{
    auto const written = file_->write(bytes);
    if (!written)
        return written.error().code().value();
    EXPECT_EQ(written.value(), bytes.size());
    return 0;
}

int raw_file::write(packet const& one)
{
    std::vector<std::byte> bytes(header_size_ + one.bytes.size());
    std::memcpy(bytes.data(), &one.header, header_size_);
    std::copy(one.bytes.begin(), one.bytes.end(), bytes.begin() + static_cast<std::ptrdiff_t>(header_size_));
    return write(bytes);
}

int raw_file::read_into(std::span<std::byte> buffer)
{
    auto const got = file_->read(buffer);
    return got ? static_cast<int>(got.value()) : -got.error().code().value();
}

std::optional<packet> raw_file::read(milliseconds within)
{
    if (!on_.wait_readable(descriptor(), within))
        return std::nullopt;
    buffer_.resize(largest);
    auto const size = read_into(buffer_);
    if (size < static_cast<int>(header_size_)) {
        EXPECT_EQ(size, -EAGAIN) << "a read of a readable file";
        return std::nullopt;
    }
    packet got;
    std::memcpy(&got.header, buffer_.data(), header_size_);
    got.bytes.assign(buffer_.begin() + static_cast<std::ptrdiff_t>(header_size_), buffer_.begin() + size);
    return got;
}

umad::ib_user_mad_hdr to_itself(world& on, std::uint32_t agent, std::uint32_t timeout_ms, std::uint32_t retries)
{
    umad::ib_user_mad_hdr header{};
    header.id = agent;
    header.timeout_ms = timeout_ms;
    header.retries = retries;
    header.length = umad::header_size + mad_size;
    header.qpn.set(1);
    header.qkey.set(gsi_q_key);
    header.lid.set(on.own_lid().value());
    header.grh_present = 1;
    header.gid_index = 0;
    header.hop_limit = 64;
    std::memcpy(header.gid, on.own_gid().bytes().data(), sizeof header.gid);
    return header;
}

packet question(
    world& on, std::uint32_t agent, std::uint32_t number, method ask, std::uint32_t timeout_ms, std::uint32_t retries)
{
    packet one;
    one.header = to_itself(on, agent, timeout_ms, retries);
    auto const mad = one.mad();
    mad.set_base_version(mad_base_version);
    mad.set_mgmt_class(management_class{vendor});
    mad.set_class_version(1);
    mad.set_method(ask);
    mad.set_transaction_id(0xABCD'EF01'0000'0000 | number);
    mad.set_attribute_id(0x77);
    mad.set_attribute_modifier(number);
    for (std::size_t i = 0; i != 3; ++i)
        one.bytes[oui_offset + i] = static_cast<std::byte>(oui >> (16 - 8 * i));
    return one;
}

packet answer_to(packet const& received, std::uint32_t agent)
{
    packet answer = received;
    answer.header.id = agent;
    answer.header.status = 0;
    answer.header.timeout_ms = 0;
    answer.header.retries = 0;
    answer.header.qkey.set(gsi_q_key);
    answer.mad().set_method(response_to(received.mad().method()));
    return answer;
}

pair_of_files::pair_of_files(world& on, std::initializer_list<unsigned> methods)
    : client{on}, server{on}, asks{client.agent(wanted_vendor())}, serves{server.agent(wanted_vendor(methods))}
{}

} // namespace madrigal::conformance
