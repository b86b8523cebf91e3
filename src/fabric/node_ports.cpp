#include <madrigal/fabric/node_ports.hpp>
#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/switch_info.hpp>

#include <algorithm>

namespace madrigal {

asio::awaitable<result<node_ports>> find_node_ports(port on, destination to, request_options options)
{
    if (!to.to_lid().is_unicast())
        co_return error{errc::invalid_argument, to_string(to) + " has no LID by which its ports could be asked for"};
    destination const at{to.to_lid()};
    auto const client = smp_client::open(on);
    if (!client)
        co_return client.error();
    auto const node = co_await client.value().get<node_info>(at, 0, options);
    if (!node)
        co_return node.error();
    constexpr std::uint32_t most = 254;
    node_ports found;
    found.type = node.value().type;
    found.last = static_cast<std::uint8_t>(std::min<std::uint32_t>(node.value().num_ports, most));
    if (found.last == 0)
        co_return error{errc::malformed_answer, to_string(to) + " says that it has no ports"};
    if (found.type != node_type::switch_) {
        found.asked_through = static_cast<std::uint8_t>(node.value().local_port_num);
        co_return found;
    }
    auto const of_switch = co_await client.value().get<switch_info>(at, 0, options);
    if (!of_switch)
        co_return of_switch.error();
    if (of_switch.value().enhanced_port0)
        found.first = 0;
    co_return found;
}

} // namespace madrigal
