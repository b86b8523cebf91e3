#include "cli/perf_report.hpp"

#include <madrigal/wire/attributes/port_counters.hpp>
#include <madrigal/wire/attributes/port_counters_extended.hpp>
#include <madrigal/wire/fixed_text.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace madrigal::cli {
namespace {

namespace json = boost::json;

/// perfquery's words for the attributes that have some.
std::string title_of(perf_reading const& what)
{
    auto const& name = what.table->layout.name;
    if (name == port_counters::layout.name)
        return "Port counters";
    if (name == port_counters_extended::layout.name)
        return "Port extended counters";
    return std::string{name} + " counters";
}

std::string place_of(perf_reading const& what)
{
    auto const& from = what.from;
    auto const whom = from.type() == destination::kind::lid ? "Lid " + to_string(from.to_lid()) : to_string(from);
    return fmt::format("{} port {}", whom, what.port);
}

/// False for a counter that the agent says it does not have.
bool is_there(perf_reading const& what, std::string_view field)
{
    bool const extended = what.table->layout.name == port_counters_extended::layout.name;
    if (!extended && what.table->layout.name != port_counters::layout.name)
        return true;
    if (field == "PortXmitWait")
        return what.can.xmit_wait() && (!extended || what.can.extended_errors());
    if (field == "QP1Dropped")
        return what.can.qp1_dropped() && (!extended || what.can.extended_errors());
    if (!extended || field == "PortSelect" || field == "CounterSelect")
        return true;
    if (field == "PortXmitData" || field == "PortRcvData" || field == "PortXmitPkts" || field == "PortRcvPkts")
        return true;
    return field.find("cast") != std::string_view::npos ? what.can.cast_counters() : what.can.extended_errors();
}

} // namespace

std::string perf_text(perf_reading const& what)
{
    if (!what.read)
        return {};
    auto text = fmt::format("# {}: {} (CapMask: {:#06x}", title_of(what), place_of(what), what.can.first.value());
    if (what.can.first.has(performance_capability::capability_mask2))
        text += fmt::format(" CapMask2: {:#09x}", what.can.second.value());
    text += ")\n";
    (void)what.table->visit(
        what.data, [&](field_description const& field, std::size_t element, field_value const& value) {
            if (!is_there(what, field.name))
                return;
            madrigal::detail::append_text_line(text, field, element, value.text);
        });
    return text;
}

std::string perf_json(perf_reading const& what)
{
    json::object object{{"destination", to_string(what.from)}, {"port", what.port},
        {"attribute", what.table->layout.name}, {"capability_mask", what.can.first.value()},
        {"capability_mask2", what.can.second.value()}, {"port_by_port", what.emulated}, {"reset", what.reset},
        {"counters", nullptr}};
    if (!what.read)
        return json::serialize(object) + "\n";
    json::object counters;
    (void)what.table->visit(what.data, [&](field_description const& field, std::size_t, field_value const& value) {
        if (!is_there(what, field.name) || field.name.ends_with("Select") || field.name.ends_with("Select2"))
            return;
        if (field.count == 1) {
            counters[field.name] = value.number;
            return;
        }
        auto& array = counters[field.name];
        if (!array.is_array())
            array = json::array{};
        array.as_array().emplace_back(value.number);
    });
    object["counters"] = std::move(counters);
    return json::serialize(object) + "\n";
}

} // namespace madrigal::cli
