#include <madrigal/fabric/reach.hpp>
#include <madrigal/fabric/resolve.hpp>
#include <madrigal/umad/catalogue.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace madrigal {
namespace {

std::string name_of(umad::port_attributes const& one)
{
    return umad::port_name(one.ca_name, one.number);
}

bool is_ethernet(umad::port_attributes const& one) noexcept
{
    return one.layer == umad::link_layer::ethernet;
}

std::string own_gids(umad::port_attributes const& own)
{
    std::string list;
    for (auto const& one : own.gids)
        if (one != gid{} && list.find(to_string(one)) == std::string::npos)
            list += (list.empty() ? "" : ", ") + to_string(one);
    return list.empty() ? "none" : list;
}

/// What keeps GMPs from travelling. The state of a switch's port 0 means nothing.
std::optional<error> hindrance(umad::port_attributes const& own)
{
    if (own.state != port_state::active && own.number != 0)
        return error{errc::invalid_argument,
            fmt::format("{} is {}; only an Active port carries more than subnet management{}", name_of(own),
                to_string(own.state), is_ethernet(own) ? "" : " (is a subnet manager running?)")};
    if (!is_ethernet(own) && !own.base_lid.is_unicast())
        return error{errc::invalid_argument,
            fmt::format("{} has no LID, so no answer could come back (is a subnet manager running?)", name_of(own))};
    return std::nullopt;
}

destination with_route_header(umad::port_attributes const& from, gid const& to, lid first_hop)
{
    return destination{global_route{.destination = to, .source_gid_index = source_gid_index(from, to)}, first_hop};
}

error gid_wanted(umad::port_attributes const& from, std::string const& what)
{
    return {errc::invalid_argument,
        fmt::format(
            "{} cannot be reached from {}: on Ethernet only GIDs can; ask with the GID of the other port (those "
            "of this one: {})",
            what, name_of(from), own_gids(from))};
}

result<std::optional<destination>> over_ethernet(umad::port_attributes const& from, address const& to)
{
    if (auto const* const number = std::get_if<lid>(&to))
        return gid_wanted(from, "LID " + to_string(*number));
    if (auto const* const number = std::get_if<guid>(&to))
        return gid_wanted(from, "GUID " + to_string(*number));
    return std::optional{with_route_header(from, std::get<gid>(to), lid{})};
}

result<std::optional<destination>> over_infiniband(umad::port_attributes const& from, address const& to)
{
    if (auto const* const number = std::get_if<lid>(&to)) {
        if (!number->is_unicast())
            return error{errc::invalid_argument, fmt::format("{} is no unicast LID", number->value())};
        return std::optional<destination>{*number};
    }
    if (auto const* const number = std::get_if<guid>(&to))
        return *number == from.port_guid ? std::optional<destination>{from.base_lid} : std::nullopt;
    auto const& global = std::get<gid>(to);
    if (global != gid{} && std::ranges::find(from.gids, global) != from.gids.end())
        return std::optional{with_route_header(from, global, from.base_lid)};
    if (global.subnet_prefix() != from.gid_prefix && global.subnet_prefix() != default_subnet_prefix)
        return error{errc::invalid_argument,
            fmt::format("GID {} is not of the subnet of {}, whose prefix is {:#018x}; the LID of the router to other "
                        "subnets is not known without subnet administration",
                to_string(global), name_of(from), from.gid_prefix)};
    return std::optional<destination>{};
}

} // namespace

std::uint8_t source_gid_index(umad::port_attributes const& from, gid const& to) noexcept
{
    // All IPv4 addresses are in the prefix 0, as ::ffff:a.b.c.d.
    auto const same_prefix = [&](gid const& one) { return one != gid{} && one.subnet_prefix() == to.subnet_prefix(); };
    auto found = std::ranges::find(from.gids, to);
    if (found == from.gids.end())
        found = std::ranges::find_if(from.gids, same_prefix);
    if (found == from.gids.end())
        found = std::ranges::find_if(from.gids, [](gid const& one) { return one != gid{}; });
    auto const index = found - from.gids.begin();
    return found == from.gids.end() || index > 0xFF ? std::uint8_t{0} : static_cast<std::uint8_t>(index);
}

result<std::optional<destination>> reach_directly(umad::port_attributes const& from, address const& to)
{
    // What cannot be reached in any state is said first.
    BOOST_OUTCOME_TRY(auto found, is_ethernet(from) ? over_ethernet(from, to) : over_infiniband(from, to));
    if (auto what = hindrance(from))
        return std::move(*what);
    return found;
}

result<destination> reach_itself(umad::port_attributes const& own)
{
    if (auto what = hindrance(own))
        return std::move(*what);
    if (!is_ethernet(own))
        return destination{own.base_lid};
    auto const first = std::ranges::find_if(own.gids, [](gid const& one) { return one != gid{}; });
    if (first == own.gids.end())
        return error{errc::invalid_argument, name_of(own) + " has no GID (has its network interface an address?)"};
    return with_route_header(own, *first, lid{});
}

result<lid> locate_lid(discovery const& in, guid wanted)
{
    auto end = in.fabric.find_port(wanted);
    if (!end) {
        BOOST_OUTCOME_TRY(auto const found, locate(in, wanted));
        end = {found.node, found.port};
    }
    auto const& node = in.fabric.at(end.node);
    auto const base = node.type == node_type::switch_ ? node.base_lid : node.external_port(end.port).base_lid;
    if (!base || !base->is_unicast())
        return error{errc::no_such_node,
            fmt::format("port {} of \"{}\" has no LID (is a subnet manager running?)", end.port, node.description)};
    return *base;
}

asio::awaitable<result<destination>> reach(port from, address to, discover_options options)
{
    auto const direct = reach_directly(from.attributes(), to);
    if (!direct)
        co_return direct.error();
    if (direct.value())
        co_return *direct.value();
    auto const* const global = std::get_if<gid>(&to);
    auto const wanted = global != nullptr ? global->interface_id() : std::get<guid>(to);
    auto const found = co_await discover(from, std::move(options));
    if (!found)
        co_return found.error();
    auto const base = locate_lid(found.value(), wanted);
    if (!base)
        co_return base.error();
    if (global != nullptr)
        co_return with_route_header(from.attributes(), *global, base.value());
    co_return destination{base.value()};
}

} // namespace madrigal
