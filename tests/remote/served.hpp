// Clients of a served fabric: two machines behind a switch, and umad files on them.
#pragma once

#include "remote/serving_thread.hpp"

#include <madrigal/remote/connect.hpp>
#include <madrigal/topology/generators.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/mad.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <poll.h>
#include <span>
#include <string>
#include <vector>

namespace madrigal::testing {

/// Hosts on one leaf, with LIDs.
inline std::shared_ptr<sim::fabric> make_served_fabric(time_source& clock)
{
    sim::fabric_options options;
    options.start = sim::start_state::configured;
    options.time = &clock;
    auto layout = topology::generate(topology::fat_tree{.leaves = 1, .hosts_per_leaf = 3, .spines = 1},
        topology::generate_options{.assign_lids = true});
    return sim::fabric::make(std::move(layout).value(), options).value();
}

inline constexpr std::uint8_t vendor_class = 0x32;
inline constexpr std::uint32_t vendor_oui = 0x001405;

[[nodiscard]] inline umad::ib_user_mad_reg_req2 vendor_agent(bool serves, std::uint8_t rmpp_version = 0)
{
    umad::ib_user_mad_reg_req2 request{};
    request.qpn = 1;
    request.mgmt_class = vendor_class;
    request.mgmt_class_version = 1;
    request.oui = vendor_oui;
    request.rmpp_version = rmpp_version;
    if (serves)
        request.method_mask[0] = 1u << static_cast<unsigned>(method::get) | 1u << static_cast<unsigned>(method::set);
    return request;
}

/// A packet of the vendor class with a 64-byte header.
[[nodiscard]] inline std::vector<std::byte> vendor_packet(std::uint32_t agent, lid to, method how,
    std::uint64_t transaction, std::uint32_t timeout_ms, std::size_t size = 256)
{
    std::vector<std::byte> packet(umad::header_size + size);
    umad::ib_user_mad_hdr header{};
    header.id = agent;
    header.timeout_ms = timeout_ms;
    header.lid.set(to.value());
    header.qpn.set(1);
    header.qkey.set(0x8001'0000);
    std::memcpy(packet.data(), &header, sizeof header);
    mutable_mad_view mad{std::span{packet}.subspan(umad::header_size)};
    mad.set_base_version(1);
    mad.set_mgmt_class(static_cast<management_class>(vendor_class));
    mad.set_class_version(1);
    mad.set_method(how);
    mad.set_transaction_id(transaction);
    for (std::size_t i = 0; i != 3; ++i)
        packet[umad::header_size + 37 + i] = static_cast<std::byte>(vendor_oui >> (16 - 8 * i));
    return packet;
}

/// A message of the vendor class for the kernel's RMPP, `length` bytes behind the header.
[[nodiscard]] inline std::vector<std::byte> vendor_message(
    std::uint32_t agent, lid to, std::uint64_t transaction, std::size_t length)
{
    auto message = vendor_packet(agent, to, method::set, transaction, 60'000, length);
    auto const mad = std::span{message}.subspan(umad::header_size);
    mad[24] = mad[25] = mad[26] = std::byte{1}; // RMPPVersion 1, DATA, Active
    for (std::size_t i = 40; i != length; ++i)
        mad[i] = static_cast<std::byte>(i * 2654435761u >> 13);
    return message;
}

[[nodiscard]] inline int code(result<std::size_t> const& done)
{
    return done ? 0 : done.error().code().value();
}

[[nodiscard]] inline bool is_readable(int descriptor)
{
    pollfd look{.fd = descriptor, .events = POLLIN, .revents = 0};
    return ::poll(&look, 1, 0) == 1 && (look.revents & POLLIN) != 0;
}

struct Served : ::testing::Test {
    [[nodiscard]] std::shared_ptr<umad::host> client(std::optional<std::string> ca = std::nullopt)
    {
        return remote::connect(server.path(), std::move(ca)).value();
    }
    /// A host's first port.
    [[nodiscard]] static std::unique_ptr<umad::port_file> open(umad::host& on)
    {
        return on.open_port(on.ca_names().value().front(), 1).value();
    }
    [[nodiscard]] static lid lid_of(umad::host& on)
    {
        return on.query_port(on.ca_names().value().front(), 1).value().base_lid;
    }
    /// The GUID of a CA of the fabric, in their order.
    [[nodiscard]] std::string guid_of(unsigned ca)
    {
        return server.run([&] {
            auto const& layout = server.fabric().layout();
            for (topology::node_index at = 0; at != layout.size(); ++at)
                if (layout.at(at).type == node_type::ca && ca-- == 0)
                    return to_string(layout.at(at).node_guid);
            return std::string{};
        });
    }
    [[nodiscard]] sim::fabric::port_view look_at(std::string const& ca)
    {
        return server.run([&] {
            auto const& layout = server.fabric().layout();
            for (topology::node_index at = 0; at != layout.size(); ++at)
                if (to_string(layout.at(at).node_guid) == ca)
                    return server.fabric().look_at({at, 1}).value();
            return sim::fabric::port_view{};
        });
    }
    [[nodiscard]] topology::node_index first_ca()
    {
        return server.run([&] {
            topology::node_index at = 0;
            while (server.fabric().layout().at(at).type != node_type::ca)
                ++at;
            return at;
        });
    }
    void pass(duration time)
    {
        server.run([&] { server.clock().advance(time); });
    }

    serving_thread server{make_served_fabric};
    std::array<std::byte, 512> buffer{};
};

} // namespace madrigal::testing
