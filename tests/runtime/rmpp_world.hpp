// A client and a server with RMPP on two machines of one fabric.
#pragma once

#include "runtime/two_machines.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace madrigal::testing {

/// Data that shows where each of its bytes belongs.
[[nodiscard]] inline std::vector<std::byte> numbered_bytes(std::size_t size)
{
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i != size; ++i)
        bytes[i] = static_cast<std::byte>((i * 2654435761U) >> 13);
    return bytes;
}

/// A registration with its RMPP done by whom it says.
[[nodiscard]] inline umad::registration with_rmpp(umad::registration what, rmpp_by whom)
{
    what.rmpp_version = whom == rmpp_by::nobody ? 0 : 1;
    what.flags = whom == rmpp_by::agent ? umad::user_rmpp : 0;
    return what;
}

/// Headers of a question, of a class with RMPP.
[[nodiscard]] inline std::vector<std::byte> question_of(
    management_class of, method how, std::uint32_t modifier, std::span<std::byte const> data = {})
{
    std::vector<std::byte> mad(class_data_offset(of));
    mutable_mad_view const view{mad};
    view.set_base_version(mad_base_version);
    view.set_mgmt_class(of);
    view.set_class_version(of == management_class::subnet_administration ? 2 : 1);
    view.set_method(how);
    view.set_attribute_id(0x11);
    view.set_attribute_modifier(modifier);
    if (umad::needs_oui(static_cast<std::uint8_t>(of)))
        for (std::size_t i = 0; i != 3; ++i)
            mad[37 + i] = static_cast<std::byte>(openib_oui >> (16 - 8 * i));
    mad.insert(mad.end(), data.begin(), data.end());
    return mad;
}

/// Who does RMPP on either side.
struct rmpp_sides {
    rmpp_by client;
    rmpp_by server;
    friend void PrintTo(rmpp_sides const& sides, std::ostream* out)
    {
        auto const name = [](rmpp_by whom) { return whom == rmpp_by::agent ? "agent" : "kernel"; };
        *out << name(sides.client) << "_asks_" << name(sides.server);
    }
};
[[nodiscard]] inline std::string name_of_sides(::testing::TestParamInfo<rmpp_sides> const& info)
{
    std::ostringstream name;
    PrintTo(info.param, &name);
    return name.str();
}

/// A client on one machine and a server on another.
class rmpp_world {
public:
    rmpp_world(rmpp_sides sides, umad::registration const& what, sim::fabric_options options = configured(),
        agent_options const& client_how = {}, agent_options const& server_how = {})
        : s{small_tree(), std::move(options)}, other{s}
    {
        port = s.on_loop->open().value();
        client = port.register_agent(with_rmpp(what, sides.client), client_how).value();
        server =
            other.port
                .register_agent(with_rmpp(what.serving(method::get, method::set, method::get_table, method::get_multi),
                                    sides.server),
                    server_how)
                .value();
    }
    ~rmpp_world()
    {
        client.close();
        server.close();
        s.run_ready();
    }

    /// Answers each request with as many bytes as its modifier says.
    void serve_sizes()
    {
        asio::co_spawn(s.loop, server.serve([this](request asked) -> asio::awaitable<void> {
            auto const data = numbered_bytes(asked.mad().attribute_modifier());
            auto const sent = co_await asked.reply_with(data);
            replies.push_back(sent ? error_code{} : sent.error().code());
        }),
            asio::detached);
    }
    /// Keeps each request's data and answers with its size.
    void serve_keeping()
    {
        asio::co_spawn(s.loop, server.serve([this](request asked) -> asio::awaitable<void> {
            auto const data = asked.received().payload();
            kept.assign(data.begin(), data.end());
            std::array<std::byte, 4> size{};
            store_bits<0, 32>(size.data(), data.size());
            auto const sent = co_await asked.reply_with(size);
            replies.push_back(sent ? error_code{} : sent.error().code());
        }),
            asio::detached);
    }

    [[nodiscard]] result<received_mad> ask(std::vector<std::byte> const& question, request_options how = {})
    {
        return s.run(client.async_request(raw_message{other.own_lid(), question}, how, as_result));
    }
    void lose(double probability)
    {
        auto faults = sim::fault_options{};
        faults.loss = probability;
        s.fabric->set_faults(faults);
    }

    simulated s;
    second_machine other;
    madrigal::port port;
    agent client;
    agent server;
    std::vector<error_code> replies;
    std::vector<std::byte> kept;
};

} // namespace madrigal::testing
