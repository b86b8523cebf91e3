#include <madrigal/fabric/resolve.hpp>
#include <madrigal/topology/lookup.hpp>

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace madrigal {
namespace {

error nowhere(discovery const& in, std::string const& what)
{
    return error{errc::no_such_node,
        in.complete() ? what : what + "; the sweep is incomplete, it may be among what did not answer"};
}

located at_node(discovery const& in, topology::node_index node)
{
    bool const is_switch = in.fabric.at(node).type == node_type::switch_;
    return {in.routes[node], node, is_switch ? std::uint8_t{0} : in.entry_ports[node]};
}

/// The way that ends at this port: through the switch at the other end of its cable, as a CA forwards nothing.
result<located> at_port(discovery const& in, topology::endpoint end)
{
    auto const& node = in.fabric.at(end.node);
    if (node.type == node_type::switch_ || in.entry_ports[end.node] == end.port)
        return at_node(in, end.node);
    auto const peer = node.external_port(end.port).peer;
    if (!peer || !in.routes[peer.node].can_extend())
        return nowhere(in, fmt::format("port {} of \"{}\" cannot be reached", end.port, node.description));
    return located{in.routes[peer.node].extended(peer.port), end.node, end.port};
}

/// `0x2c90200419cb8` or the digits alone.
std::optional<guid> as_guid(std::string_view text)
{
    if (text.starts_with("0x") || text.starts_with("0X"))
        text.remove_prefix(2);
    std::uint64_t number = 0;
    auto const* const end = text.data() + text.size();
    auto const read = std::from_chars(text.data(), end, number, 16);
    if (read.ec != std::errc{} || read.ptr != end)
        return std::nullopt;
    return guid{number};
}

template <class Wanted>
asio::awaitable<result<located>> sweep_for(port on, Wanted wanted, discover_options options)
{
    auto const found = co_await discover(std::move(on), std::move(options));
    if (!found)
        co_return found.error();
    co_return locate(found.value(), wanted);
}

} // namespace

result<located> locate(discovery const& in, guid wanted)
{
    if (!wanted)
        return error{errc::invalid_argument, "GUID 0 names no node"};
    if (auto const node = in.fabric.find(wanted); node != topology::no_node)
        return at_node(in, node);
    if (auto const end = in.fabric.find_port(wanted))
        return at_port(in, end);
    return nowhere(in, fmt::format("no node or port has the GUID {}", to_string(wanted)));
}

result<located> locate(discovery const& in, lid wanted)
{
    if (!wanted.is_unicast())
        return error{errc::invalid_argument, fmt::format("{} is no unicast LID", wanted.value())};
    auto const covers = [wanted](std::optional<lid> base, std::optional<std::uint8_t> lmc) {
        return base && wanted.value() >= base->value() && wanted.value() < base->value() + (1U << lmc.value_or(0));
    };
    for (topology::node_index i = 0; i != in.fabric.size(); ++i) {
        auto const& node = in.fabric.at(i);
        if (covers(node.base_lid, node.lmc))
            return at_node(in, i);
        for (unsigned p = 1; p <= node.port_count(); ++p)
            if (covers(node.external_port(p).base_lid, node.external_port(p).lmc))
                return at_port(in, {i, static_cast<std::uint8_t>(p)});
    }
    return nowhere(in, fmt::format("no port has the LID {}", wanted.value()));
}

result<located> locate(discovery const& in, std::string_view wanted)
{
    auto const node = topology::find_named(in.fabric, wanted);
    if (!node)
        return nowhere(in, node.error().context());
    // A port GUID that is no node's means that port.
    auto const number = as_guid(wanted);
    if (number && in.fabric.find(*number) == topology::no_node)
        if (auto const end = in.fabric.find_port(*number); end && end.node == node.value())
            return at_port(in, end);
    return at_node(in, node.value());
}

asio::awaitable<result<located>> resolve(port on, guid wanted, discover_options options)
{
    return sweep_for(std::move(on), wanted, std::move(options));
}

asio::awaitable<result<located>> resolve(port on, lid wanted, discover_options options)
{
    return sweep_for(std::move(on), wanted, std::move(options));
}

asio::awaitable<result<located>> resolve(port on, std::string wanted, discover_options options)
{
    return sweep_for(std::move(on), std::move(wanted), std::move(options));
}

} // namespace madrigal
