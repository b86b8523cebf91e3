#include "cli/port_report.hpp"

#include <madrigal/wire/fixed_text.hpp>
#include <madrigal/wire/numbers.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace madrigal::cli {
namespace {

namespace json = boost::json;

/// ibstat's words, by which scripts look for a state; they differ from PortInfo's in one place.
std::string state_word(port_state state)
{
    return state == port_state::init ? "Initializing" : to_string(state);
}

std::string_view layer_word(umad::link_layer layer) noexcept
{
    switch (layer) {
    case umad::link_layer::infiniband: return "InfiniBand";
    case umad::link_layer::ethernet: return "Ethernet";
    case umad::link_layer::unknown: break;
    }
    return "Unknown";
}

json::object port_object(umad::port_attributes const& port)
{
    return {{"port", port.number}, {"state", state_word(port.state)}, {"physical_state", to_string(port.phys_state)},
        {"rate", port.rate}, {"rate_text", printable(port.rate_text)}, {"base_lid", port.base_lid.value()},
        {"lmc", port.lmc}, {"sm_lid", port.sm_lid.value()}, {"sm_sl", port.sm_sl},
        {"capability_mask", port.capability_mask}, {"port_guid", to_string(port.port_guid)},
        {"gid_prefix", hexadecimal(port.gid_prefix, 16)}, {"link_layer", layer_word(port.layer)}};
}

json::object ca_object(ca_report const& from)
{
    json::array ports;
    for (auto const& port : from.ports)
        ports.push_back(port_object(port));
    auto const& ca = from.ca;
    return {{"name", printable(ca.name)}, {"node_type", to_string(ca.type)}, {"ca_type", printable(ca.ca_type)},
        {"firmware_version", printable(ca.firmware_version)}, {"hardware_version", printable(ca.hardware_version)},
        {"description", printable(ca.description)}, {"node_guid", to_string(ca.node_guid)},
        {"system_image_guid", to_string(ca.system_image_guid)}, {"port_count", ca.ports.size()},
        {"ports", std::move(ports)}};
}

} // namespace

result<std::vector<ca_report>> collect_ports(
    umad::host& from, umad::port_list const& all, umad::port_selector const& filter)
{
    std::vector<ca_report> reports;
    BOOST_OUTCOME_TRY(auto const names, from.ca_names());
    std::string known;
    for (auto const& name : names) {
        known += (known.empty() ? "" : ", ") + name;
        if (!filter.ca.empty() && filter.ca != name)
            continue;
        auto ca = from.query_ca(name);
        if (!ca) // told among the unreadable ones
            continue;
        ca_report report{std::move(ca.value()), {}};
        for (auto const& port : all.ports)
            if (port.ca_name == name && (!filter.port || port.number == *filter.port))
                report.ports.push_back(port);
        if (filter.port && std::ranges::find(report.ca.ports, *filter.port) == report.ca.ports.end())
            continue;
        reports.push_back(std::move(report));
    }
    if (!filter.ca.empty() && std::ranges::find(names, filter.ca) == names.end())
        return error{errc::no_such_ca, "'" + std::string{filter.ca} + "' (there are: " + known + ")"};
    if (reports.empty() && filter.port)
        return error{errc::no_such_port,
            "port " + std::to_string(*filter.port) + " of " + (filter.ca.empty() ? known : std::string{filter.ca})};
    return reports;
}

std::string ports_text(std::vector<ca_report> const& all)
{
    std::string text;
    auto const to = std::back_inserter(text);
    for (auto const& [ca, ports] : all) {
        auto const kind = to_string(ca.type);
        fmt::format_to(to, "{} '{}'\n", kind, printable(ca.name));
        fmt::format_to(to, "\t{} type: {}\n\tNumber of ports: {}\n", kind, printable(ca.ca_type), ca.ports.size());
        fmt::format_to(to, "\tFirmware version: {}\n\tHardware version: {}\n", printable(ca.firmware_version),
            printable(ca.hardware_version));
        fmt::format_to(
            to, "\tNode GUID: {}\n\tSystem image GUID: {}\n", to_string(ca.node_guid), to_string(ca.system_image_guid));
        for (auto const& port : ports) {
            fmt::format_to(to, "\tPort {}:\n\t\tState: {}\n\t\tPhysical state: {}\n\t\tRate: {}\n", port.number,
                state_word(port.state), to_string(port.phys_state), port.rate);
            fmt::format_to(to, "\t\tBase lid: {}\n\t\tLMC: {}\n\t\tSM lid: {}\n", port.base_lid.value(), port.lmc,
                port.sm_lid.value());
            fmt::format_to(to, "\t\tCapability mask: {}\n\t\tPort GUID: {}\n\t\tLink layer: {}\n",
                hexadecimal(port.capability_mask, 8), to_string(port.port_guid), layer_word(port.layer));
        }
    }
    return text;
}

std::string ports_json(std::vector<ca_report> const& all)
{
    json::array cas;
    for (auto const& one : all)
        cas.push_back(ca_object(one));
    return json::serialize(cas) + "\n";
}

} // namespace madrigal::cli
