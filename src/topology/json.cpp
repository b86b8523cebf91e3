#include <madrigal/topology/json.hpp>

#include "naming.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

namespace madrigal::topology {

namespace {

namespace json = boost::json;

std::string text_of(guid value)
{
    return fmt::format("0x{:016x}", value.value());
}

std::string_view name_of(node_type type) noexcept
{
    return type == node_type::switch_ ? "switch" : type == node_type::router ? "router" : "ca";
}

void add_guid(json::object& to, std::string_view name, std::optional<guid> value)
{
    if (value)
        to[name] = text_of(*value);
}

void add_lid(json::object& to, std::optional<lid> base_lid, std::optional<std::uint8_t> lmc)
{
    if (base_lid)
        to["lid"] = base_lid->value();
    if (lmc)
        to["lmc"] = *lmc;
}

json::object node_object(node const& from, std::string const& id)
{
    json::object object{{"id", detail::valid_utf8(id)}, {"type", name_of(from.type)}, {"guid", text_of(from.node_guid)},
        {"description", detail::valid_utf8(from.description)}, {"port_count", from.ports.size()},
        {"vendor_id", from.vendor_id}, {"device_id", from.device_id}};
    add_guid(object, "system_image_guid", from.system_image_guid);
    if (from.type == node_type::switch_) {
        add_guid(object, "port_guid", from.port_guid);
        add_lid(object, from.base_lid, from.lmc);
        object["enhanced_port0"] = from.enhanced_port0;
        return object;
    }
    json::array ports;
    for (std::size_t i = 0; i != from.ports.size(); ++i) {
        json::object end{{"port", i + 1}};
        add_guid(end, "guid", from.ports[i].port_guid);
        add_lid(end, from.ports[i].base_lid, from.ports[i].lmc);
        ports.push_back(std::move(end));
    }
    object["ports"] = std::move(ports);
    return object;
}

json::object end_object(fabric const& in, std::vector<std::string> const& ids, endpoint end)
{
    auto const& from = in.at(end.node).external_port(end.port);
    json::object object{{"node", detail::valid_utf8(ids[end.node])}, {"port", end.port}};
    if (from.width != link_width::none)
        object["width"] = to_string(from.width);
    if (from.speed != link_speed::none)
        object["speed"] = to_string(from.speed);
    return object;
}

} // namespace

std::string write_json(fabric const& from)
{
    auto const ids = detail::unique_ids(from, false);
    auto const counts = from.counts();
    std::string text = "{\n\"counts\":";
    text += json::serialize(json::object{
        {"switches", counts.switches}, {"cas", counts.cas}, {"routers", counts.routers}, {"links", counts.links}});
    if (from.initiated_from_node && from.initiated_from_port) {
        text += ",\n\"initiated_from\":";
        text += json::serialize(
            json::object{{"node", text_of(*from.initiated_from_node)}, {"port", text_of(*from.initiated_from_port)}});
    }
    text += ",\n\"nodes\":[";
    for (node_index i = 0; i != from.size(); ++i) {
        text += i == 0 ? "\n" : ",\n";
        text += json::serialize(node_object(from.at(i), ids[i]));
    }
    text += "\n],\n\"links\":[";
    bool first = true;
    for (node_index i = 0; i != from.size(); ++i) {
        for (unsigned number = 1; number <= from.at(i).ports.size(); ++number) {
            endpoint const here{i, static_cast<std::uint8_t>(number)};
            auto const there = from.at(i).external_port(number).peer;
            if (!there || there < here)
                continue;
            text += first ? "\n" : ",\n";
            first = false;
            text += json::serialize(
                json::object{{"ends", json::array{end_object(from, ids, here), end_object(from, ids, there)}}});
        }
    }
    text += "\n]\n}\n";
    return text;
}

} // namespace madrigal::topology
