#include "umad/sysfs_text.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace madrigal::umad::sysfs {
namespace {

/// All of `digits`. For unsigned types from_chars takes neither signs nor blanks nor a prefix.
std::optional<std::uint64_t> parse_digits(std::string_view digits, int base) noexcept
{
    std::uint64_t value = 0;
    auto const* const end = digits.data() + digits.size();
    auto const [stopped, problem] = std::from_chars(digits.data(), end, value, base);
    if (problem != std::errc{} || stopped != end)
        return std::nullopt;
    return value;
}

/// Groups of four hexadecimal digits between colons.
template <std::size_t Groups>
std::optional<std::array<std::uint16_t, Groups>> parse_groups(std::string_view text) noexcept
{
    std::array<std::uint16_t, Groups> groups{};
    if (text.size() != Groups * 5 - 1)
        return std::nullopt;
    for (std::size_t i = 0; i != Groups; ++i) {
        if (i != 0 && text[i * 5 - 1] != ':')
            return std::nullopt;
        auto const value = parse_digits(text.substr(i * 5, 4), 16);
        if (!value)
            return std::nullopt;
        groups[i] = static_cast<std::uint16_t>(*value);
    }
    return groups;
}

} // namespace

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t limit) noexcept
{
    auto const hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    auto const value = hexadecimal ? parse_digits(text.substr(2), 16) : parse_digits(text, 10);
    if (!value || *value > limit)
        return std::nullopt;
    return value;
}

std::optional<std::uint64_t> parse_named_number(std::string_view text, std::uint64_t limit) noexcept
{
    return parse_number(text.substr(0, text.find(':')), limit);
}

std::optional<unsigned> parse_rate(std::string_view text) noexcept
{
    auto const number = text.substr(0, text.find(' '));
    auto const point = number.find('.');
    if (point != std::string_view::npos && !parse_digits(number.substr(point + 1), 10))
        return std::nullopt;
    auto const whole = parse_number(number.substr(0, point), 1'000'000);
    if (!whole)
        return std::nullopt;
    return static_cast<unsigned>(*whole);
}

std::optional<guid> parse_guid(std::string_view text) noexcept
{
    auto const groups = parse_groups<4>(text);
    if (!groups)
        return std::nullopt;
    std::uint64_t value = 0;
    for (auto const group : *groups)
        value = value << 16 | group;
    return guid{value};
}

std::optional<gid> parse_gid(std::string_view text) noexcept
{
    auto const groups = parse_groups<8>(text);
    if (!groups)
        return std::nullopt;
    gid::bytes_type bytes{};
    for (std::size_t i = 0; i != groups->size(); ++i) {
        bytes[2 * i] = static_cast<std::uint8_t>((*groups)[i] >> 8);
        bytes[2 * i + 1] = static_cast<std::uint8_t>((*groups)[i]);
    }
    return gid{bytes};
}

std::optional<unsigned> parse_numbered_name(std::string_view name, std::string_view prefix, unsigned limit) noexcept
{
    if (!name.starts_with(prefix))
        return std::nullopt;
    auto const value = parse_digits(name.substr(prefix.size()), 10);
    if (!value || *value > limit)
        return std::nullopt;
    return static_cast<unsigned>(*value);
}

} // namespace madrigal::umad::sysfs
