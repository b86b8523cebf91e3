#include <madrigal/hosts/host_uri.hpp>

#include "ground/percent_encoded.hpp"

#include <algorithm>

namespace madrigal {
namespace {

int hex_digit(char c) noexcept
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/// File names end there: what follows would be ignored silently.
error null_byte(std::string_view whole)
{
    return {errc::malformed_uri, "host '" + std::string{whole} + "': a null byte, which no name can hold"};
}

result<std::string> decode(std::string_view text, std::string_view whole)
{
    std::string plain;
    for (std::size_t i = 0; i != text.size(); ++i) {
        if (text[i] != '%') {
            if (text[i] == '\0')
                return null_byte(whole);
            plain += text[i];
            continue;
        }
        int const high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
        int const low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0)
            return error{errc::malformed_uri, "host '" + std::string{whole} + "': '%' without two hexadecimal digits"};
        if (high == 0 && low == 0)
            return null_byte(whole);
        plain += static_cast<char>(16 * high + low);
        i += 2;
    }
    return plain;
}

} // namespace

bool host_uri::has(std::string_view parameter) const noexcept
{
    return std::any_of(parameters.begin(), parameters.end(), [&](auto const& one) { return one.first == parameter; });
}

result<host_uri> parse_host_uri(std::string_view text)
{
    host_uri uri;
    auto const query = text.find('?');
    auto const front = text.substr(0, query);
    auto const colon = front.find(':');
    uri.scheme = front.substr(0, colon);
    if (uri.scheme.empty())
        return error{errc::malformed_uri, "host '" + std::string{text} + "': it must begin with linux or sim:"};
    if (colon != std::string_view::npos) {
        BOOST_OUTCOME_TRY(uri.path, decode(front.substr(colon + 1), text));
    }
    if (query == std::string_view::npos)
        return uri;
    auto rest = text.substr(query + 1);
    while (!rest.empty()) {
        auto const end = std::min(rest.find('&'), rest.size());
        auto const part = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        auto const equals = part.find('=');
        BOOST_OUTCOME_TRY(auto name, decode(part.substr(0, equals), text));
        std::string value;
        if (equals != std::string_view::npos) {
            BOOST_OUTCOME_TRY(value, decode(part.substr(equals + 1), text));
        }
        if (name.empty())
            return error{errc::malformed_uri, "host '" + std::string{text} + "': a parameter without a name"};
        if (std::ranges::any_of(uri.parameters, [&](auto const& known) { return known.first == name; }))
            return error{errc::malformed_uri, "host '" + std::string{text} + "': '" + name + "' stands twice"};
        uri.parameters.emplace_back(std::move(name), std::move(value));
    }
    return uri;
}

std::string percent_encoded(std::string_view plain)
{
    return detail::percent_encoded(plain);
}

} // namespace madrigal
