#include <madrigal/wire/link.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace madrigal {

namespace {

constexpr std::array<std::pair<link_width, std::string_view>, 5> width_names{{
    {link_width::x1, "1x"},
    {link_width::x2, "2x"},
    {link_width::x4, "4x"},
    {link_width::x8, "8x"},
    {link_width::x12, "12x"},
}};

constexpr std::array<std::pair<link_speed, std::string_view>, 9> speed_names{{
    {link_speed::sdr, "SDR"},
    {link_speed::ddr, "DDR"},
    {link_speed::qdr, "QDR"},
    {link_speed::fdr10, "FDR10"},
    {link_speed::fdr, "FDR"},
    {link_speed::edr, "EDR"},
    {link_speed::hdr, "HDR"},
    {link_speed::ndr, "NDR"},
    {link_speed::xdr, "XDR"},
}};

constexpr char upper(char letter) noexcept
{
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

bool same_letters(std::string_view a, std::string_view b) noexcept
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return upper(x) == upper(y); });
}

template <class Value, std::size_t Count>
std::string_view name_of(std::array<std::pair<Value, std::string_view>, Count> const& names, Value value) noexcept
{
    for (auto const& [candidate, name] : names)
        if (candidate == value)
            return name;
    return "?";
}

template <class Value, std::size_t Count>
std::optional<Value> value_of(
    std::array<std::pair<Value, std::string_view>, Count> const& names, std::string_view text) noexcept
{
    for (auto const& [candidate, name] : names)
        if (same_letters(name, text))
            return candidate;
    return std::nullopt;
}

} // namespace

std::string_view to_string(link_width value) noexcept
{
    return name_of(width_names, value);
}

std::string_view to_string(link_speed value) noexcept
{
    return name_of(speed_names, value);
}

std::optional<link_width> parse_link_width(std::string_view text) noexcept
{
    return value_of(width_names, text);
}

std::optional<link_speed> parse_link_speed(std::string_view text) noexcept
{
    return value_of(speed_names, text);
}

unsigned lanes(link_width value) noexcept
{
    switch (value) {
    case link_width::x1: return 1;
    case link_width::x2: return 2;
    case link_width::x4: return 4;
    case link_width::x8: return 8;
    case link_width::x12: return 12;
    case link_width::none: break;
    }
    return 0;
}

} // namespace madrigal
