#include "naming.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <unordered_set>

namespace madrigal::topology::detail {

namespace {

bool is_control(char c) noexcept
{
    auto const byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
}

bool can_be_quoted(std::string_view id) noexcept
{
    return !id.empty() && std::none_of(id.begin(), id.end(), [](char c) { return c == '"' || is_control(c); });
}

/// Length of the valid UTF-8 sequence at the start of `bytes` (Unicode 15, table 3-7); 0 where there is none.
std::size_t sequence_length(std::string_view bytes) noexcept
{
    auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    auto const first = byte(0);
    if (first < 0x80)
        return 1;
    std::size_t const length = first >= 0xC2 && first <= 0xDF   ? 2
                               : (first & 0xF0U) == 0xE0        ? 3
                               : first >= 0xF0 && first <= 0xF4 ? 4
                                                                : 0;
    if (length == 0 || bytes.size() < length)
        return 0;
    // The second byte's range shuts out overlong forms, surrogates and numbers beyond U+10FFFF.
    unsigned const lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned const highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < lowest || byte(1) > highest)
        return 0;
    for (std::size_t i = 2; i < length; ++i)
        if ((byte(i) & 0xC0U) != 0x80)
            return 0;
    return length;
}

} // namespace

std::vector<std::string> unique_ids(fabric const& from, bool prefer_given)
{
    std::vector<std::string> ids(from.size());
    std::unordered_set<std::string> taken;
    taken.reserve(from.size());
    auto const first_choice = [&](node const& named) {
        return prefer_given && can_be_quoted(named.id) ? named.id : canonical_id(named.type, named.node_guid);
    };
    // The first choice of every node goes before anybody's second.
    for (node_index i = 0; i != from.size(); ++i)
        if (auto wanted = first_choice(from.at(i)); taken.insert(wanted).second)
            ids[i] = std::move(wanted);
    for (node_index i = 0; i != from.size(); ++i) {
        if (!ids[i].empty())
            continue;
        auto const& named = from.at(i);
        auto const canonical = canonical_id(named.type, named.node_guid);
        auto wanted = can_be_quoted(named.id) ? named.id : canonical;
        for (unsigned number = 2; !taken.insert(wanted).second; ++number)
            wanted = fmt::format("{}.{}", canonical, number);
        ids[i] = std::move(wanted);
    }
    return ids;
}

std::string one_line_description(std::string_view description)
{
    std::string line{description.substr(0, 64)};
    std::replace_if(line.begin(), line.end(), is_control, ' ');
    return line;
}

std::string valid_utf8(std::string_view bytes)
{
    std::string valid;
    valid.reserve(bytes.size());
    while (!bytes.empty()) {
        auto const length = sequence_length(bytes);
        valid += length == 0 ? std::string_view{"\xEF\xBF\xBD"} : bytes.substr(0, length);
        bytes.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return valid;
}

unsigned reached_at(node const& owner, unsigned port) noexcept
{
    auto const& base = owner.type == node_type::switch_ ? owner.base_lid : owner.ports[port - 1].base_lid;
    return base ? base->value() : 0;
}

std::string rate(link_width width, link_speed speed)
{
    if (width == link_width::none && speed == link_speed::none)
        return {};
    return fmt::format("{}{}", width == link_width::none ? "??" : to_string(width),
        speed == link_speed::none ? "???" : to_string(speed));
}

} // namespace madrigal::topology::detail
