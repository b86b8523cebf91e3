#include "cli/numbers.hpp"

#include <charconv>
#include <string>

#include <arpa/inet.h>

namespace madrigal::cli {
namespace {

bool take_hexadecimal_prefix(std::string_view& text) noexcept
{
    if (!text.starts_with("0x") && !text.starts_with("0X"))
        return false;
    text.remove_prefix(2);
    return true;
}

std::optional<std::uint64_t> digits(std::string_view text, int base) noexcept
{
    std::uint64_t number = 0;
    auto const* const end = text.data() + text.size();
    auto const [stopped, failure] = std::from_chars(text.data(), end, number, base);
    if (failure != std::errc{} || stopped != end)
        return std::nullopt;
    return number;
}

} // namespace

std::optional<std::uint64_t> parse_number(std::string_view text) noexcept
{
    int const base = take_hexadecimal_prefix(text) ? 16 : 10;
    return digits(text, base);
}

std::optional<lid> parse_lid(std::string_view text) noexcept
{
    auto const number = parse_number(text);
    if (!number || *number > max_unicast_lid.value() || *number == 0)
        return std::nullopt;
    return lid{static_cast<std::uint16_t>(*number)};
}

std::optional<guid> parse_guid(std::string_view text) noexcept
{
    if (!take_hexadecimal_prefix(text) && text.size() == 19 && text[4] == ':' && text[9] == ':' && text[14] == ':') {
        std::array<char, 16> joined{};
        for (std::size_t group = 0; group != 4; ++group)
            text.copy(joined.data() + 4 * group, 4, 5 * group);
        auto const number = digits({joined.data(), joined.size()}, 16);
        return number && *number != 0 ? std::optional{guid{*number}} : std::nullopt;
    }
    auto const number = digits(text, 16);
    if (!number || *number == 0)
        return std::nullopt;
    return guid{*number};
}

std::optional<gid> parse_gid(std::string_view text)
{
    constexpr std::uint8_t multicast = 0xFF;
    gid::bytes_type bytes{};
    if (::inet_pton(AF_INET6, std::string{text}.c_str(), bytes.data()) != 1)
        return std::nullopt;
    if (gid const read{bytes}; read != gid{} && bytes[0] != multicast)
        return read;
    return std::nullopt;
}

} // namespace madrigal::cli
