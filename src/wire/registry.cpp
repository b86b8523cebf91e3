#include <madrigal/wire/all_attributes.hpp>
#include <madrigal/wire/registry.hpp>

#include <algorithm>
#include <array>

namespace madrigal {

namespace {

template <class... Types>
std::array<attribute_descriptor, sizeof...(Types)> describe_all(type_list<Types...>)
{
    std::array<attribute_descriptor, sizeof...(Types)> all{describe_attribute<Types>()...};
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

std::span<attribute_descriptor const> attributes() noexcept
{
    static auto const all = describe_all(all_attributes{});
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
