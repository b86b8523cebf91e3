#include <madrigal/subnet/find_managers.hpp>

#include <madrigal/runtime/gather.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/port_capability.hpp>

#include <cstdint>
#include <utility>

namespace madrigal {
namespace {

struct end_port {
    directed_route route;
    std::uint8_t number = 0;
};

/// Every end port, and the way to it.
std::vector<end_port> end_ports(discovery const& in)
{
    std::vector<end_port> all;
    auto const& nodes = in.fabric.nodes();
    for (topology::node_index i = 0; i != nodes.size() && i != in.routes.size(); ++i) {
        if (nodes[i].type == node_type::switch_) {
            all.push_back({in.routes[i], 0});
            continue;
        }
        for (unsigned number = 1; number <= nodes[i].port_count(); ++number) {
            auto const peer = nodes[i].external_port(static_cast<std::uint8_t>(number)).peer;
            if (!peer || peer.node >= in.routes.size())
                continue;
            // Only a switch leads on, and the node where all routes begin.
            auto const& before = in.routes[peer.node];
            if ((nodes[peer.node].type == node_type::switch_ || before.hops() == 0) && before.can_extend())
                all.push_back({before.extended(peer.port), static_cast<std::uint8_t>(number)});
        }
    }
    return all;
}

asio::awaitable<result<sm_info>> ask(smp_client const* by, end_port at)
{
    auto const port = co_await by->get<port_info>(at.route, at.number);
    if (!port)
        co_return port.error();
    if (!port.value().capability_mask.has(port_capability::is_sm))
        co_return error{errc::no_subnet_manager};
    co_return co_await by->get<sm_info>(at.route);
}

asio::awaitable<std::vector<seen_sm>> ask_all(smp_client by, std::vector<end_port> where)
{
    bool const throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    auto const answers = co_await gather(where, [&by](end_port const& at) { return ask(&by, at); });
    std::vector<seen_sm> seen;
    for (std::size_t i = 0; i != answers.size(); ++i)
        if (answers[i])
            seen.push_back({answers[i].value(), destination{where[i].route}});
    co_await asio::this_coro::throw_if_cancelled(throwing);
    co_return seen;
}

} // namespace

asio::awaitable<std::vector<seen_sm>> find_managers(smp_client by, discovery const& in)
{
    return ask_all(std::move(by), end_ports(in));
}

} // namespace madrigal
