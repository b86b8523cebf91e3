#include "registry_parts.hpp"

#include <madrigal/wire/attributes/congestion_log.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace madrigal {

namespace {

template <std::size_t... Part>
std::vector<attribute_descriptor> join_parts(std::index_sequence<Part...>)
{
    std::vector<attribute_descriptor> all;
    for (auto const part : {detail::registry_part<Part>()...})
        all.insert(all.end(), part.begin(), part.end());
    std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.layout.name < b.layout.name; });
    return all;
}

bool same_letters(std::string_view a, std::string_view b) noexcept
{
    auto const lower = [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

} // namespace

std::optional<std::string> attribute_descriptor::text(std::span<std::byte const> bytes) const
{
    std::string all;
    auto const add = [&](field_description const& field, std::size_t element, field_value const& value) {
        detail::append_text_line(all, field, element, value.text);
    };
    if (!visit(bytes, add))
        return std::nullopt;
    return all;
}

std::span<attribute_descriptor const> attributes() noexcept
{
    static auto const all = join_parts(detail::registry_parts{});
    return all;
}

attribute_descriptor const* find_attribute(management_class class_of_mad, std::uint16_t id) noexcept
{
    for (auto const& attribute : attributes())
        if (attribute.layout.id == id && attribute.layout.scope.contains(class_of_mad))
            return &attribute;
    return nullptr;
}

attribute_descriptor const* find_attribute(mad_view mad) noexcept
{
    auto const* const found = find_attribute(mad.mgmt_class(), mad.attribute_id());
    if (found == nullptr || found->layout.name != congestion_log::layout.name)
        return found;
    auto const log = mad.attribute<congestion_log>();
    if (!log)
        return found;
    switch (log->type) {
    case congestion_log_type::switch_: return find_attribute(congestion_log_switch::layout.name);
    case congestion_log_type::ca: return find_attribute(congestion_log_ca::layout.name);
    }
    return found;
}

attribute_descriptor const* find_attribute(std::string_view name) noexcept
{
    for (auto const& attribute : attributes())
        if (same_letters(attribute.layout.name, name))
            return &attribute;
    return nullptr;
}

} // namespace madrigal
