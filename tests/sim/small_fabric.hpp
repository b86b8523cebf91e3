// Fabrics for tests, and a machine on one whose umad file is driven by hand under a clock of its own.
#pragma once

#include <madrigal/engine/virtual_time.hpp>
#include <madrigal/sim/fabric.hpp>
#include <madrigal/sim/host.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/smp.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace madrigal::sim::test {

using namespace std::chrono_literals;

/// Nodes of `two_switches`, in this order.
enum : topology::node_index { host_a, host_b, switch_1, switch_2, host_c };

/// host_a has two ports, both at switch_1 (its ports 1 and 2); host_b hangs on port 3. Two cables lead from switch_1
/// (ports 5, 6) to switch_2 (ports 5, 6), which has host_c on port 1. Switch 1 has an enhanced port 0.
inline topology::fabric two_switches()
{
    topology::fabric made;
    auto const add = [&](node_type type, char const* id, char const* description, std::uint64_t number,
                         unsigned ports) {
        topology::node one;
        one.type = type;
        one.id = id;
        one.description = description;
        one.node_guid = guid{0x0002'C903'0000'0000 + number};
        one.system_image_guid = guid{0x0002'C903'0000'000F + number};
        one.vendor_id = 0x2C9;
        one.device_id = type == node_type::switch_ ? 0xD2F0 : 0x101B;
        one.ports.resize(ports);
        for (unsigned port = 1; type == node_type::ca && port <= ports; ++port)
            one.ports[port - 1].port_guid = guid{one.node_guid.value() + port};
        made.add(std::move(one));
    };
    add(node_type::ca, "H-a", "alpha mlx5_0", 0x100, 2);
    add(node_type::ca, "H-b", "beta mlx5_1", 0x200, 1);
    add(node_type::switch_, "S-1", "first switch", 0x1000, 8);
    add(node_type::switch_, "S-2", "second switch", 0x2000, 8);
    add(node_type::ca, "H-c", "gamma mlx5_2", 0x300, 2);
    made.at(switch_1).enhanced_port0 = true;
    auto const connect = [&](topology::endpoint a, topology::endpoint b, link_width width, link_speed speed) {
        EXPECT_TRUE(made.connect(a, b));
        for (auto const end : {a, b}) {
            made.at(end.node).external_port(end.port).width = width;
            made.at(end.node).external_port(end.port).speed = speed;
        }
    };
    connect({host_a, 1}, {switch_1, 1}, link_width::x4, link_speed::edr);
    connect({host_a, 2}, {switch_1, 2}, link_width::x4, link_speed::fdr10);
    connect({host_b, 1}, {switch_1, 3}, link_width::x1, link_speed::sdr);
    connect({switch_1, 5}, {switch_2, 5}, link_width::x4, link_speed::hdr);
    connect({switch_1, 6}, {switch_2, 6}, link_width::x2, link_speed::hdr);
    connect({host_c, 1}, {switch_2, 1}, link_width::x4, link_speed::ndr);
    return made;
}

/// What came out of a file.
struct received {
    umad::ib_user_mad_hdr header{};
    std::array<std::byte, mad_size> mad{};
    std::size_t size = 0; ///< what read returned

    [[nodiscard]] mad_view view() const { return mad_view{mad}; }
    template <class T>
    [[nodiscard]] T as() const
    {
        return view().attribute<T>().value();
    }
};

/// One open file in pkey mode with helpers to register, ask and read. Every failure is the test's.
class open_file {
public:
    open_file(host& on, unsigned port = 1) : file_{on.open_port(on.ca_names().value().front(), port).value()} {}

    [[nodiscard]] umad::port_file& operator*() const { return *file_; }
    [[nodiscard]] umad::port_file* operator->() const { return file_.get(); }
    void close() { file_.reset(); }

    /// Registers by the second call; the errno is 0 where it went well.
    int try_register(umad::ib_user_mad_reg_req2& request) { return file_->register_agent2(request).value(); }
    std::uint32_t register_client(std::uint8_t mgmt_class, std::uint8_t version = 1)
    {
        return register_server(mgmt_class, version, {});
    }
    std::uint32_t register_server(std::uint8_t mgmt_class, std::uint8_t version, std::vector<unsigned> methods,
        std::uint32_t oui = 0, std::uint8_t rmpp = 0, std::uint32_t flags = 0)
    {
        umad::ib_user_mad_reg_req2 request{};
        request.qpn = is_smp(static_cast<management_class>(mgmt_class)) ? 0 : 1;
        request.mgmt_class = mgmt_class;
        request.mgmt_class_version = version;
        request.oui = oui;
        request.rmpp_version = rmpp;
        request.flags = flags;
        for (auto const method : methods)
            request.method_mask[method / 64] |= std::uint64_t{1} << method % 64;
        EXPECT_EQ(try_register(request), 0) << "class " << unsigned{mgmt_class};
        return request.id;
    }

    /// 0, or the errno.
    int write(umad::ib_user_mad_hdr const& header, std::span<std::byte const> mad)
    {
        std::vector<std::byte> bytes(sizeof header + mad.size());
        std::memcpy(bytes.data(), &header, sizeof header);
        std::memcpy(bytes.data() + sizeof header, mad.data(), mad.size());
        auto const done = file_->write(bytes);
        if (!done)
            return done.error().code().value();
        EXPECT_EQ(done.value(), bytes.size());
        return 0;
    }
    /// The next packet; nothing where there is none.
    std::optional<received> read()
    {
        std::array<std::byte, umad::header_size + mad_size> buffer{};
        auto const done = file_->read(buffer);
        if (!done) {
            EXPECT_EQ(done.error().code().value(), EAGAIN);
            return std::nullopt;
        }
        received got;
        got.size = done.value();
        std::memcpy(&got.header, buffer.data(), sizeof got.header);
        std::memcpy(got.mad.data(), buffer.data() + sizeof got.header, got.size - sizeof got.header);
        return got;
    }

private:
    std::unique_ptr<umad::port_file> file_;
};

/// A header as a client writes it.
inline umad::ib_user_mad_hdr header_to(
    std::uint32_t agent, lid to, unsigned qp, std::uint32_t timeout_ms = 100, std::uint32_t retries = 0)
{
    umad::ib_user_mad_hdr header{};
    header.id = agent;
    header.timeout_ms = timeout_ms;
    header.retries = retries;
    header.length = umad::header_size + mad_size;
    header.qpn.set(qp);
    header.qkey.set(qp == 0 ? 0 : 0x8001'0000);
    header.lid.set(to.value());
    return header;
}

/// A fabric under a clock of its own, and a host on it with one file that has both SMP clients registered.
class bench {
public:
    explicit bench(topology::fabric layout = two_switches(), fabric_options options = {},
        std::optional<std::string_view> ca = std::nullopt)
    {
        options.time = &clock;
        on = fabric::make(std::move(layout), std::move(options)).value();
        machine = host::make(on, ca).value();
        unsigned const port = on->layout().at(machine->node()).type == node_type::switch_ ? 0 : 1;
        file.emplace(*machine, port);
        directed = file->register_client(0x81);
        routed = file->register_client(0x01);
    }

    /// Asks by directed route and gives what comes back before any time passes.
    std::optional<received> ask(
        directed_route const& route, std::uint16_t attribute, std::uint32_t modifier = 0, std::uint64_t m_key = 0)
    {
        return exchange(method::get, route, attribute, modifier, {}, m_key);
    }
    /// Writes by directed route.
    template <class T>
    std::optional<received> set(
        directed_route const& route, T const& value, std::uint32_t modifier = 0, std::uint64_t m_key = 0)
    {
        auto const bytes = encoded(value);
        return exchange(method::set, route, T::layout.id, modifier, bytes, m_key);
    }
    template <class T>
    T get(directed_route const& route, std::uint32_t modifier = 0, std::uint64_t m_key = 0)
    {
        auto const got = ask(route, T::layout.id, modifier, m_key);
        EXPECT_TRUE(got.has_value()) << T::layout.name << " from " << to_string(route);
        if (!got)
            return {};
        EXPECT_EQ(got->view().outcome(), 0) << T::layout.name << " from " << to_string(route);
        return got->template as<T>();
    }
    /// Asks by LID.
    std::optional<received> ask(lid to, std::uint16_t attribute, std::uint32_t modifier = 0, std::uint64_t m_key = 0)
    {
        drain();
        std::array<std::byte, mad_size> smp;
        build_lid_routed_smp(smp, method::get, next_id(), attribute, modifier, m_key);
        EXPECT_EQ(file->write(header_to(routed, to, 0), smp), 0);
        return file->read();
    }
    std::optional<received> exchange(method what, directed_route const& route, std::uint16_t attribute,
        std::uint32_t modifier, std::span<std::byte const> data, std::uint64_t m_key)
    {
        drain();
        std::array<std::byte, mad_size> smp;
        build_directed_route_smp(smp, what, next_id(), attribute, modifier, m_key, route);
        std::copy(data.begin(), data.end(), smp.begin() + smp_data_offset);
        EXPECT_EQ(file->write(header_to(directed, permissive_lid, 0), smp), 0);
        return file->read();
    }
    std::uint64_t next_id() { return ++last_id; }
    /// Throws away what waits: reports of earlier questions that nobody answered.
    void drain()
    {
        while (file->read())
            ;
    }

    engine::virtual_time clock;
    std::shared_ptr<fabric> on;
    std::shared_ptr<host> machine;
    std::optional<open_file> file;
    std::uint32_t directed = 0;
    std::uint32_t routed = 0;
    std::uint64_t last_id = 0;
};

} // namespace madrigal::sim::test
