#include <madrigal/subnet/find_managers.hpp>

#include "subnet/sm_info_question.hpp"

#include <madrigal/runtime/gather.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/port_capability.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace madrigal {
namespace {

struct asked_port {
    directed_route route;
    std::uint8_t number = 0;
    std::optional<port_capabilities> capabilities{}; ///< where the sweep has kept them
};

/// Every end port, and the way to it.
std::vector<asked_port> end_ports(discovery const& in)
{
    std::vector<asked_port> all;
    auto const& nodes = in.fabric.nodes();
    for (topology::node_index i = 0; i != nodes.size() && i != in.routes.size(); ++i) {
        auto const add = [&](directed_route const& route, std::uint8_t number) {
            auto& one = all.emplace_back(asked_port{route, number});
            if (i < in.attributes.size() && number < in.attributes[i].ports.size())
                if (auto const& told = in.attributes[i].ports[number]; told.state != port_state::no_change)
                    one.capabilities = told.capability_mask;
        };
        if (nodes[i].type == node_type::switch_) {
            add(in.routes[i], 0);
            continue;
        }
        for (unsigned number = 1; number <= nodes[i].port_count(); ++number) {
            auto const peer = nodes[i].external_port(static_cast<std::uint8_t>(number)).peer;
            if (!peer || peer.node >= in.routes.size())
                continue;
            // Only a switch leads on, and the node where all routes begin.
            auto const& before = in.routes[peer.node];
            if ((nodes[peer.node].type == node_type::switch_ || before.hops() == 0) && before.can_extend())
                add(before.extended(peer.port), static_cast<std::uint8_t>(number));
        }
    }
    return all;
}

asio::awaitable<result<seen_sm>> ask(smp_client const* by, asked_port at, sm_info own)
{
    if (!at.capabilities) {
        auto const port = co_await by->get<port_info>(at.route, at.number);
        if (!port)
            co_return port.error();
        at.capabilities = port.value().capability_mask;
    }
    if (!at.capabilities->has(port_capability::is_sm))
        co_return error{errc::no_subnet_manager};
    auto const told = co_await detail::ask_sm_info(*by, destination{at.route}, own);
    seen_sm seen{{}, destination{at.route}};
    if (told) {
        seen.info = told.value();
        co_return seen;
    }
    if (told.error() != errc::timeout)
        co_return told.error();
    auto const node = co_await by->get<node_info>(at.route); // which does not depend on its subnet manager
    if (!node)
        co_return node.error();
    seen.info.port_guid = node.value().port_guid;
    seen.silent = true;
    co_return seen;
}

asio::awaitable<std::vector<seen_sm>> ask_all(smp_client by, std::vector<asked_port> where, sm_info own)
{
    bool const throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    auto const answers = co_await gather(where, [&by, own](asked_port const& at) { return ask(&by, at, own); });
    std::vector<seen_sm> seen;
    for (auto const& one : answers)
        if (one)
            seen.push_back(one.value());
    co_await asio::this_coro::throw_if_cancelled(throwing);
    co_return seen;
}

} // namespace

asio::awaitable<std::vector<seen_sm>> find_managers(smp_client by, discovery const& in, sm_info const& own)
{
    return ask_all(std::move(by), end_ports(in), own);
}

} // namespace madrigal
