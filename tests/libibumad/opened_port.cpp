#include "libibumad/opened_port.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <endian.h>
#include <filesystem>

namespace madrigal::libibumad::test {
namespace {

/// The cases' own OUI, which no real agent has.
constexpr std::array<std::uint8_t, 3> oui{0x0A, 0x0B, 0x0C};
constexpr unsigned well_known_qkey = 0x80010000;

} // namespace

std::array<long, 16 / sizeof(long)> mask_of(std::initializer_list<unsigned> methods)
{
    std::array<long, 16 / sizeof(long)> mask{};
    constexpr unsigned width = 8 * sizeof(long);
    for (auto const method : methods)
        mask[method / width] |= static_cast<long>(1UL << method % width);
    return mask;
}

port_name first_port()
{
    char names[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN]; // NOLINT: the interface's
    if (::umad_get_cas_names(names, UMAD_MAX_DEVICES) < 1)
        return {};
    port_name first{names[0], 0};
    umad_ca_t ca{};
    if (::umad_get_ca(names[0], &ca) != 0)
        return {};
    for (auto const* port : ca.ports)
        if (port != nullptr) {
            first.number = port->portnum;
            break;
        }
    ::umad_release_ca(&ca);
    return first;
}

std::size_t open_descriptors()
{
    auto const all = std::filesystem::directory_iterator{"/proc/self/fd"};
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::uint32_t buffer::number() noexcept
{
    std::uint32_t big = 0;
    std::memcpy(&big, &mad(12), sizeof big);
    return be32toh(big);
}

opened_port::opened_port()
{
    auto const where = first_port();
    id_ = ::umad_open_port(where.ca.c_str(), where.number);
    EXPECT_GE(id_, 0) << "umad_open_port " << where.ca << ' ' << where.number;
    EXPECT_EQ(::umad_get_port(where.ca.c_str(), where.number, &attributes_), 0);
}

opened_port::~opened_port()
{
    ::umad_release_port(&attributes_);
    ::umad_close_port(id_);
}

int opened_port::agent(std::initializer_list<unsigned> methods, std::uint8_t rmpp_version) const
{
    auto mask = mask_of(methods);
    auto bytes = oui;
    int const id = ::umad_register_oui(id_, vendor_class, rmpp_version, bytes.data(), mask.data());
    EXPECT_GE(id, 0) << "umad_register_oui: " << std::strerror(errno);
    return id;
}

buffer opened_port::question(std::uint32_t number, std::uint8_t method, std::size_t length) const
{
    buffer one{length};
    ::umad_set_addr(one.umad(), static_cast<int>(attributes_.base_lid), 1, 0, static_cast<int>(well_known_qkey));
    if (attributes_.base_lid == 0) {
        ib_mad_addr_t address{};
        address.hop_limit = 64;
        std::memcpy(address.gid, &attributes_.gid_prefix, 8);
        std::memcpy(address.gid + 8, &attributes_.port_guid, 8);
        ::umad_set_grh(one.umad(), &address);
    }
    one.mad(0) = 1;
    one.mad(1) = vendor_class;
    one.mad(2) = 1;
    one.mad(3) = method;
    auto const big = htobe32(number);
    std::memcpy(&one.mad(12), &big, sizeof big);
    std::copy(oui.begin(), oui.end(), &one.mad(37));
    for (std::size_t i = 40; i != length; ++i)
        one.mad(i) = static_cast<std::uint8_t>(i * 13 + number);
    return one;
}

buffer opened_port::receive() const
{
    buffer one;
    int length = one.room();
    int const agent = ::umad_recv(id_, one.umad(), &length, -1);
    EXPECT_GE(agent, 0) << std::strerror(errno);
    return one;
}

bool opened_port::asks(opened_port const& server, int client_agent, std::uint32_t number) const
{
    auto asked = question(number);
    if (::umad_send(id_, client_agent, asked.umad(), mad_size, 20'000, 0) != 0)
        return false;
    auto request = server.receive();
    auto const same = [&](buffer& got) {
        return got.number() == number && std::equal(&got.mad(40), &got.mad(0) + mad_size, &asked.mad(40));
    };
    if (::umad_status(request.umad()) != 0 || request.mad(3) != get || !same(request))
        return false;
    request.mad(3) = get | response;
    // The answer goes to where the question came from.
    auto const agent = static_cast<int>(static_cast<ib_user_mad_t*>(request.umad())->agent_id);
    ::umad_get_mad_addr(request.umad())->qkey = htobe32(well_known_qkey);
    if (::umad_send(server.id_, agent, request.umad(), mad_size, 0, 0) != 0)
        return false;
    auto answer = receive();
    return ::umad_status(answer.umad()) == 0 && answer.mad(3) == (get | response) && same(answer);
}

} // namespace madrigal::libibumad::test
