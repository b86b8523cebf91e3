#include <madrigal/topology/graphviz.hpp>

#include "naming.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace madrigal::topology {

namespace {

/// A quoted string of DOT: a backslash would start one of its escapes.
std::string escaped(std::string_view text)
{
    std::string safe;
    safe.reserve(text.size());
    for (char const c : text) {
        if (c == '"' || c == '\\')
            safe += '\\';
        safe += c;
    }
    return safe;
}

std::string_view shape_of(node_type type) noexcept
{
    return type == node_type::switch_ ? "box" : type == node_type::router ? "diamond" : "ellipse";
}

std::string rate_label(port const& one, port const& other)
{
    auto first = detail::rate(one.width, one.speed);
    auto second = detail::rate(other.width, other.speed);
    if (first == second || second.empty())
        return first;
    return first.empty() ? second : first + "/" + second;
}

} // namespace

std::string write_graphviz(fabric const& from, graphviz_options const& options)
{
    auto ids = detail::unique_ids(from, false);
    for (auto& id : ids)
        id = escaped(detail::valid_utf8(id));
    auto const is_shown = [&](node_index index) {
        return !options.switches_only || from.at(index).type == node_type::switch_;
    };

    std::string text = "graph fabric {\n";
    auto const out = std::back_inserter(text);
    for (node_index i = 0; i != from.size(); ++i) {
        auto const& shown = from.at(i);
        if (is_shown(i))
            fmt::format_to(out, "    \"{}\" [shape={}, label=\"{}\\n0x{:016x}\"];\n", ids[i], shape_of(shown.type),
                escaped(detail::valid_utf8(detail::one_line_description(shown.description))), shown.node_guid.value());
    }
    for (node_index i = 0; i != from.size(); ++i) {
        for (unsigned number = 1; number <= from.at(i).ports.size(); ++number) {
            auto const& one = from.at(i).external_port(number);
            if (!one.peer || one.peer < endpoint{i, static_cast<std::uint8_t>(number)} || !is_shown(i) ||
                !is_shown(one.peer.node))
                continue;
            auto const& other = from.at(one.peer.node).external_port(one.peer.port);
            fmt::format_to(out, "    \"{}\" -- \"{}\" [taillabel=\"{}\", headlabel=\"{}\", label=\"{}\"];\n", ids[i],
                ids[one.peer.node], number, one.peer.port, rate_label(one, other));
        }
    }
    text += "}\n";
    return text;
}

} // namespace madrigal::topology
