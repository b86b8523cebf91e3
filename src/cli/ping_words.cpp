#include "cli/ping_words.hpp"

#include "cli/numbers.hpp"

#include <CLI/CLI.hpp>

#include <string_view>

namespace madrigal::cli {
namespace {

[[noreturn]] void wrong(std::string const& what)
{
    throw CLI::ValidationError(what);
}

/// `0x` and 16 digits: a LID is never that long.
bool looks_like_a_guid(std::string_view text)
{
    constexpr std::size_t length = 18;
    return text.size() == length && (text.starts_with("0x") || text.starts_with("0X"));
}

address any_address(std::string const& text)
{
    bool const has_colon = text.find(':') != std::string::npos;
    if (has_colon || looks_like_a_guid(text))
        if (auto const wanted = parse_guid(text))
            return *wanted;
    if (has_colon)
        if (auto const wanted = parse_gid(text))
            return *wanted;
    if (auto const wanted = parse_lid(text))
        return *wanted;
    wrong("'" + text + "' is no LID from 1 to 49151, no GUID (0x and 16 digits; -G for other forms) and no unicast " +
          "GID, as in fe80::2c9:300:5:f34b");
}

} // namespace

std::optional<address> understand(ping_words const& words)
{
    if (words.lid && words.guid)
        wrong("-L and -G exclude each other");
    if (!words.to) {
        if (words.lid || words.guid)
            wrong(std::string{words.lid ? "-L" : "-G"} + " says what DEST is, and there is none");
        return std::nullopt;
    }
    if (words.guid) {
        if (auto const wanted = parse_guid(*words.to))
            return *wanted;
        wrong("'" + *words.to + "' is no GUID: up to 16 hexadecimal digits, as in 0x0002c9030005f34a");
    }
    if (words.lid) {
        if (auto const wanted = parse_lid(*words.to))
            return *wanted;
        wrong("'" + *words.to + "' is no LID from 1 to 49151");
    }
    return any_address(*words.to);
}

} // namespace madrigal::cli
