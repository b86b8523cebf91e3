#include <madrigal/fabric/forwarding.hpp>
#include <madrigal/runtime/gather.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/attributes/switch_info.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace madrigal {
namespace {

bool has_lid(port_info const& port, lid wanted) noexcept
{
    return port.base_lid.is_unicast() && wanted.value() >= port.base_lid.value() &&
           wanted.value() < port.base_lid.value() + (1U << port.lmc);
}

error no_way(lid to, std::string const& why)
{
    return error{errc::no_such_node, fmt::format("route to LID {}: {}", to.value(), why)};
}

} // namespace

asio::awaitable<result<std::vector<std::uint8_t>>> read_forwarding_table(smp_client over, destination to)
{
    auto const info = co_await over.get<switch_info>(to);
    if (!info)
        co_return info.error();
    unsigned const top = std::min<unsigned>(info.value().linear_fdb_top, max_unicast_lid.value());
    std::vector<unsigned> blocks(top / forwarding_block{}.size() + 1);
    std::iota(blocks.begin(), blocks.end(), 0U);
    auto const answers =
        co_await gather(blocks, [&over, &to](unsigned block) { return over.get<linear_forwarding_table>(to, block); });
    std::vector<std::uint8_t> table;
    table.reserve(blocks.size() * forwarding_block{}.size());
    for (auto const& answer : answers) {
        if (!answer)
            co_return answer.error();
        table.insert(table.end(), answer.value().ports.begin(), answer.value().ports.end());
    }
    table.resize(top + 1U);
    co_return table;
}

asio::awaitable<result<directed_route>> find_route(smp_client over, lid to)
{
    if (!to.is_unicast())
        co_return error{errc::invalid_argument, fmt::format("{} is no unicast LID", to.value())};
    directed_route route;
    for (;;) {
        destination const here{route};
        auto const node = co_await over.get<node_info>(here);
        if (!node)
            co_return node.error();
        bool const is_switch = node.value().type == node_type::switch_;
        auto const port = co_await over.get<port_info>(here, is_switch ? 0U : node.value().local_port_num);
        if (!port)
            co_return port.error();
        if (has_lid(port.value(), to))
            co_return route;
        std::uint8_t leave_by = node.value().local_port_num;
        if (is_switch) {
            auto const info = co_await over.get<switch_info>(here);
            if (!info)
                co_return info.error();
            leave_by = no_route;
            if (to.value() <= info.value().linear_fdb_top) {
                auto const block = co_await over.get<linear_forwarding_table>(here, forwarding_block_of(to));
                if (!block)
                    co_return block.error();
                leave_by = block.value().ports[forwarding_entry_of(to)];
            }
            if (leave_by == no_route || leave_by == 0 || leave_by > node.value().num_ports)
                co_return no_way(to, fmt::format("the switch at {} has no entry that leads there", to_string(here)));
        } else if (route.hops() != 0) {
            co_return no_way(to, fmt::format("the tables lead to {}, which has another LID", to_string(here)));
        }
        if (!route.can_extend())
            co_return no_way(to, "the tables lead over more than 63 hops, perhaps in circles");
        route = route.extended(leave_by);
    }
}

} // namespace madrigal
