#include "umad/class_directory.hpp"
#include "umad/sysfs_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace madrigal::umad::sysfs {
namespace {

constexpr unsigned largest_port = 255;
/// P_Key and GID indices have 16 bits.
constexpr unsigned largest_index = 0xFFFF;
constexpr auto last_state = static_cast<std::uint64_t>(port_state::active_defer);

auto number_up_to(std::uint64_t limit)
{
    return [limit](std::string_view text) { return parse_number(text, limit); };
}

auto named_number_up_to(std::uint64_t limit)
{
    return [limit](std::string_view text) { return parse_named_number(text, limit); };
}

std::optional<std::string> any_text(std::string_view text)
{
    return std::string{text};
}

/// The rate's text and number, which stand in one file.
std::optional<std::pair<std::string, unsigned>> text_and_rate(std::string_view text)
{
    auto const rate = parse_rate(text);
    if (!rate)
        return std::nullopt;
    return std::pair{std::string{text}, *rate};
}

std::optional<link_layer> layer_by_name(std::string_view text)
{
    if (text == "InfiniBand")
        return link_layer::infiniband;
    return text == "Ethernet" ? link_layer::ethernet : link_layer::unknown;
}

std::optional<std::uint64_t> parse_node_type(std::string_view text)
{
    return parse_named_number(text, 255);
}

bool is_endpoint(std::uint64_t type)
{
    return type >= static_cast<std::uint64_t>(node_type::ca) && type <= static_cast<std::uint64_t>(node_type::router);
}

/// Reads directory/0, directory/1, … into a table; what cannot be read keeps its place, empty.
template <class T, class Parse>
result<std::vector<T>> read_table(reader const& from, std::string const& directory, Parse parse)
{
    std::vector<T> table;
    auto const names = from.names(directory);
    if (!names)
        return table;
    for (auto const& name : names.value()) {
        auto const index = parse_numbered_name(name, "", largest_index);
        if (!index)
            continue;
        BOOST_OUTCOME_TRY(auto const value, from.optional(fmt::format("{}/{}", directory, name), parse, {}));
        if (table.size() <= *index)
            table.resize(*index + std::size_t{1});
        table[*index] = T{value};
    }
    return table;
}

} // namespace

infiniband_directory::infiniband_directory(std::string const& sysfs_root, reader from)
    : path_{sysfs_root + "/class/infiniband"}, from_{std::move(from)}
{}

result<std::vector<std::string>> infiniband_directory::ca_names() const
{
    auto names = from_.names(path_);
    if (!names && is_absent(names.error()))
        return std::vector<std::string>{};
    if (!names)
        return names;
    std::erase_if(names.value(), [&](std::string const& name) {
        auto const type = from_.required(path_ + "/" + name + "/node_type", parse_node_type);
        if (type)
            return !is_endpoint(type.value());
        // A device that is still there has something to complain about when it is queried.
        return is_absent(type.error()) && !from_.has_directory(path_ + "/" + name);
    });
    return names;
}

result<ca_attributes> infiniband_directory::query_ca(std::string_view ca) const
{
    BOOST_OUTCOME_TRY(auto const path, ca_path(ca));
    auto read = [&]() -> result<ca_attributes> {
        ca_attributes found;
        found.name = ca;
        BOOST_OUTCOME_TRY(found.firmware_version, from_.optional(path + "/fw_ver", any_text, {}));
        BOOST_OUTCOME_TRY(found.hardware_version, from_.optional(path + "/hw_rev", any_text, {}));
        BOOST_OUTCOME_TRY(found.ca_type, from_.optional(path + "/hca_type", any_text, {}));
        BOOST_OUTCOME_TRY(found.description, from_.optional(path + "/node_desc", any_text, {}));
        BOOST_OUTCOME_TRY(found.node_guid, from_.optional(path + "/node_guid", parse_guid, {}));
        BOOST_OUTCOME_TRY(found.system_image_guid, from_.optional(path + "/sys_image_guid", parse_guid, {}));
        BOOST_OUTCOME_TRY(found.ports, ports_of(path));
        BOOST_OUTCOME_TRY(auto const type, from_.required(path + "/node_type", parse_node_type));
        if (!is_endpoint(type))
            return error{errc::no_such_ca, fmt::format("{} is an RDMA device of type {}, not InfiniBand", ca, type)};
        found.type = static_cast<node_type>(type);
        if (found.type == node_type::switch_) // Only its management port is ours to open.
            std::erase_if(found.ports, [](unsigned port) { return port != 0; });
        return found;
    };
    auto found = read();
    if (!found)
        return explain(found.error(), ca, std::nullopt);
    return found;
}

result<port_attributes> infiniband_directory::query_port(std::string_view ca, unsigned port) const
{
    BOOST_OUTCOME_TRY(auto const path, port_path(ca, port));
    port_attributes found;
    found.ca_name = ca;
    found.number = port;
    auto read = read_optional(path, found);
    if (read)
        read = read_required(path, found);
    if (!read)
        return explain(read.error(), ca, port);
    return found;
}

result<subnet_attributes> infiniband_directory::query_subnet(std::string_view ca, unsigned port) const
{
    BOOST_OUTCOME_TRY(auto const path, port_path(ca, port));
    auto read = [&]() -> result<subnet_attributes> {
        subnet_attributes found;
        BOOST_OUTCOME_TRY(auto const sm_lid, from_.optional(path + "/sm_lid", number_up_to(0xFFFF), 0));
        found.sm_lid = lid{static_cast<std::uint16_t>(sm_lid)};
        BOOST_OUTCOME_TRY(auto const sm_sl, from_.optional(path + "/sm_sl", number_up_to(15), 0));
        found.sm_sl = static_cast<std::uint8_t>(sm_sl);
        BOOST_OUTCOME_TRY(found.first_gid, from_.required(path + "/gids/0", parse_gid));
        BOOST_OUTCOME_TRY(auto const own, from_.required(path + "/lid", number_up_to(0xFFFF)));
        found.base_lid = lid{static_cast<std::uint16_t>(own)};
        BOOST_OUTCOME_TRY(auto const state, from_.required(path + "/state", named_number_up_to(last_state)));
        found.state = static_cast<port_state>(state);
        return found;
    };
    auto found = read();
    if (!found)
        return explain(found.error(), ca, port);
    return found;
}

result<void> infiniband_directory::read_optional(std::string const& path, port_attributes& into) const
{
    BOOST_OUTCOME_TRY(auto const lmc, from_.optional(path + "/lid_mask_count", number_up_to(7), 0));
    into.lmc = static_cast<std::uint8_t>(lmc);
    BOOST_OUTCOME_TRY(auto const sm_lid, from_.optional(path + "/sm_lid", number_up_to(0xFFFF), 0));
    into.sm_lid = lid{static_cast<std::uint16_t>(sm_lid)};
    BOOST_OUTCOME_TRY(auto const sm_sl, from_.optional(path + "/sm_sl", number_up_to(15), 0));
    into.sm_sl = static_cast<std::uint8_t>(sm_sl);
    BOOST_OUTCOME_TRY(auto const phys_state, from_.optional(path + "/phys_state", named_number_up_to(15), 0));
    into.phys_state = static_cast<physical_state>(phys_state);
    BOOST_OUTCOME_TRY(auto rate, from_.optional(path + "/rate", text_and_rate, {}));
    std::tie(into.rate_text, into.rate) = std::move(rate);
    BOOST_OUTCOME_TRY(auto const mask, from_.optional(path + "/cap_mask", number_up_to(0xFFFF'FFFF), 0));
    into.capability_mask = static_cast<std::uint32_t>(mask);
    BOOST_OUTCOME_TRY(into.layer, from_.optional(path + "/link_layer", layer_by_name, link_layer::infiniband));
    BOOST_OUTCOME_TRY(into.pkeys, read_table<std::uint16_t>(from_, path + "/pkeys", [](std::string_view text) {
        auto const value = parse_number(text, 0xFFFF);
        return value ? std::optional{static_cast<std::uint16_t>(*value)} : std::nullopt;
    }));
    BOOST_OUTCOME_TRY(into.gids, read_table<gid>(from_, path + "/gids", parse_gid));
    return outcome::success();
}

result<void> infiniband_directory::read_required(std::string const& path, port_attributes& into) const
{
    BOOST_OUTCOME_TRY(auto const first_gid, from_.required(path + "/gids/0", parse_gid));
    into.port_guid = first_gid.interface_id();
    into.gid_prefix = first_gid.subnet_prefix();
    BOOST_OUTCOME_TRY(auto const number, from_.required(path + "/lid", number_up_to(0xFFFF)));
    into.base_lid = lid{static_cast<std::uint16_t>(number)};
    BOOST_OUTCOME_TRY(auto const state, from_.required(path + "/state", named_number_up_to(last_state)));
    into.state = static_cast<port_state>(state);
    return outcome::success();
}

result<std::vector<unsigned>> infiniband_directory::ports_of(std::string const& ca_path) const
{
    std::vector<unsigned> ports;
    auto const names = from_.names(ca_path + "/ports");
    if (!names)
        return ports;
    for (auto const& name : names.value())
        if (auto const number = parse_numbered_name(name, "", largest_port))
            ports.push_back(*number);
    std::sort(ports.begin(), ports.end());
    return ports;
}

result<std::string> infiniband_directory::ca_path(std::string_view ca) const
{
    // The name becomes part of a path: it must not lead out of the directory.
    bool const is_name = !ca.empty() && ca != "." && ca != ".." && ca.find('/') == std::string_view::npos &&
                         ca.find('\0') == std::string_view::npos;
    auto path = fmt::format("{}/{}", path_, ca);
    if (!is_name || !from_.has_directory(path))
        return no_such_ca(ca);
    return path;
}

result<std::string> infiniband_directory::port_path(std::string_view ca, unsigned port) const
{
    BOOST_OUTCOME_TRY(auto path, ca_path(ca));
    path += fmt::format("/ports/{}", port);
    if (!from_.has_directory(path))
        return no_such_port(ca, port);
    return path;
}

error infiniband_directory::explain(error why, std::string_view ca, std::optional<unsigned> port) const
{
    if (!is_absent(why))
        return why;
    if (!from_.has_directory(fmt::format("{}/{}", path_, ca)))
        return no_such_ca(ca);
    if (port && !from_.has_directory(fmt::format("{}/{}/ports/{}", path_, ca, *port)))
        return no_such_port(ca, *port);
    if (why == error_code{ENODEV, boost::system::system_category()}) // On its way out, its directory not yet gone.
        return port ? no_such_port(ca, *port) : no_such_ca(ca);
    return {errc::malformed_sysfs_value, fmt::format("{} is missing", why.context())};
}

error infiniband_directory::no_such_ca(std::string_view ca) const
{
    auto const names = ca_names();
    if (!names || names.value().empty())
        return {errc::no_such_ca, fmt::format("{} ({} has no device)", ca, path_)};
    return {errc::no_such_ca, fmt::format("{} ({} has {})", ca, path_, fmt::join(names.value(), ", "))};
}

error infiniband_directory::no_such_port(std::string_view ca, unsigned port) const
{
    auto const ports = ports_of(fmt::format("{}/{}", path_, ca));
    if (!ports || ports.value().empty())
        return {errc::no_such_port, fmt::format("{} port {} (it has no port)", ca, port)};
    return {errc::no_such_port, fmt::format("{} port {} (it has {})", ca, port, fmt::join(ports.value(), ", "))};
}

} // namespace madrigal::umad::sysfs
