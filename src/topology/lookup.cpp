#include <madrigal/topology/lookup.hpp>

#include "ibnetdiscover_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace madrigal::topology {

namespace {

char lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string_view text)
{
    std::string all{text};
    std::transform(all.begin(), all.end(), all.begin(), [](char c) { return lower(c); });
    return all;
}

/// How much `text` resembles `name`: a part of it is better than any common beginning.
std::size_t likeness(std::string_view text, std::string_view name)
{
    auto const here = lower(text);
    if (here.find(name) != std::string::npos)
        return 1'000'000 - std::min<std::size_t>(here.size() - name.size(), 1000);
    auto const [at, _] = std::mismatch(here.begin(), here.end(), name.begin(), name.end());
    return static_cast<std::size_t>(at - here.begin());
}

std::string shown(node const& value)
{
    return fmt::format("{} \"{}\"", value.id.empty() ? canonical_id(value.type, value.node_guid) : value.id,
        detail::printable(value.description));
}

std::optional<guid> parse_guid(std::string_view name)
{
    detail::line_cursor at{name};
    bool const marked = name.starts_with("0x") || name.starts_with("0X");
    if (!marked && name.size() != 16)
        return std::nullopt;
    auto const value = at.take_hexadecimal();
    return value && at.at_end() ? std::optional{guid{*value}} : std::nullopt;
}

std::string joined(std::vector<std::string> const& all)
{
    return fmt::format("{}", fmt::join(all, ", "));
}

error ambiguous(fabric const& in, std::string_view name, std::vector<node_index> const& all)
{
    std::vector<std::string> names;
    for (auto const index : all) {
        if (names.size() == 5) {
            names.push_back(fmt::format("and {} more", all.size() - names.size()));
            break;
        }
        names.push_back(fmt::format("{} (0x{:016x})", in.at(index).id, in.at(index).node_guid.value()));
    }
    return {errc::no_such_node, fmt::format("\"{}\" could be any of {} nodes: {}; name one by its id or GUID",
                                    detail::printable(name), all.size(), joined(names))};
}

} // namespace

result<node_index> find_named(fabric const& in, std::string_view name)
{
    if (auto const index = in.find(name); index != no_node)
        return index;
    if (auto const value = parse_guid(name)) {
        auto const all = in.find_all(*value);
        if (all.size() == 1)
            return all.front();
        if (all.size() > 1)
            return ambiguous(in, name, all);
        if (auto const end = in.find_port(*value))
            return end.node;
    }
    if (!name.empty()) {
        auto const all = in.find_all_by_description(name);
        if (all.size() == 1)
            return all.front();
        if (all.size() > 1)
            return ambiguous(in, name, all);
    }
    auto const likely = candidates(in, name);
    return error{errc::no_such_node,
        likely.empty() ? fmt::format("no node \"{}\": the fabric is empty", detail::printable(name))
                       : fmt::format("no node \"{}\"; candidates: {}", detail::printable(name), joined(likely))};
}

std::vector<std::string> candidates(fabric const& in, std::string_view name, std::size_t limit)
{
    auto const wanted = lower(name);
    std::vector<std::size_t> scores;
    scores.reserve(in.size());
    for (auto const& value : in.nodes())
        scores.push_back(std::max(likeness(value.id, wanted), likeness(value.description, wanted)));
    std::vector<node_index> order(in.size());
    std::iota(order.begin(), order.end(), node_index{0});
    auto const shown_count = std::min(limit, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown_count), order.end(),
        [&](node_index a, node_index b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
    std::vector<std::string> names;
    for (std::size_t i = 0; i != shown_count; ++i)
        names.push_back(shown(in.at(order[i])));
    return names;
}

} // namespace madrigal::topology
