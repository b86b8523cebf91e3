#include "settings.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <functional>
#include <limits>
#include <map>

namespace sm {
namespace {

namespace json = boost::json;

/// Says what is wrong with a member.
struct wrong {
    std::string what;
};

std::uint64_t number(json::value const& value, std::uint64_t most)
{
    std::uint64_t read = most;
    if (auto const* const text = value.if_string()) { // GUIDs and keys are written as "0x…"
        bool const hex = text->starts_with("0x");
        auto const* const begin = text->data() + (hex ? 2 : 0);
        auto const [end, code] = std::from_chars(begin, text->data() + text->size(), read, hex ? 16 : 10);
        if (code != std::errc{} || end != text->data() + text->size() || read > most)
            throw wrong{fmt::format("\"{}\" is no number up to {}", std::string_view{*text}, most)};
        return read;
    }
    boost::system::error_code code;
    read = value.to_number<std::uint64_t>(code);
    if (code || read > most)
        throw wrong{fmt::format("{} is no whole number from 0 to {}", json::serialize(value), most)};
    return read;
}

template <class T>
T as(json::value const& value, char const* what)
{
    auto read = json::try_value_to<T>(value);
    if (!read)
        throw wrong{json::serialize(value) + " is no " + what};
    return *std::move(read);
}

std::string name(json::value const& value)
{
    auto read = as<std::string>(value, "string");
    if (std::any_of(read.begin(), read.end(), [](unsigned char one) { return one < 0x20; }))
        throw wrong{json::serialize(value) + " has control characters"};
    return read;
}

routing engine(json::value const& value)
{
    if (auto const name = as<std::string>(value, "string"); name == "min-hop" || name == "up-down")
        return name == "min-hop" ? routing::min_hop : routing::up_down;
    throw wrong{json::serialize(value) + " is neither \"min-hop\" nor \"up-down\""};
}

std::vector<madrigal::guid> guids(json::value const& value)
{
    std::vector<madrigal::guid> all;
    for (auto const& one : as<json::array>(value, "array of GUIDs"))
        all.emplace_back(number(one, std::numeric_limits<std::uint64_t>::max()));
    return all;
}

template <class Number>
auto into(Number settings::*member, std::uint64_t most = std::numeric_limits<Number>::max(), std::uint64_t least = 0)
{
    return [member, most, least](settings& to, json::value const& value) {
        auto const read = number(value, most);
        if (read < least)
            throw wrong{fmt::format("{} is less than {}", read, least)};
        to.*member = static_cast<Number>(read);
    };
}

auto milliseconds(std::chrono::milliseconds settings::*member)
{
    return [member](settings& to, json::value const& value) {
        auto const read = number(value, 86'400'000);
        if (read == 0)
            throw wrong{"must be 1 at least"};
        to.*member = std::chrono::milliseconds{read};
    };
}

std::map<std::string_view, std::function<void(settings&, json::value const&)>> const members{
    {"ca", [](settings& to, json::value const& value) { to.ca = name(value); }},
    {"port", [](settings& to, json::value const& value) { to.port = static_cast<unsigned>(number(value, 254)); }},
    {"priority", into(&settings::priority, 15)},
    {"sm_key", into(&settings::sm_key)},
    {"m_key", into(&settings::m_key)},
    {"subnet_prefix", into(&settings::subnet_prefix, 0xFEFF'FFFF'FFFF'FFFF, 1)},
    {"lmc", into(&settings::lmc, 7)},
    {"routing", [](settings& to, json::value const& value) { to.routing = engine(value); }},
    {"roots", [](settings& to, json::value const& value) { to.roots = guids(value); }},
    {"smps_on_wire", into(&settings::smps_on_wire, 4096, 1)},
    {"adaptive", [](settings& to, json::value const& value) { to.adaptive = as<bool>(value, "true or false"); }},
    {"timeout_ms", milliseconds(&settings::timeout)},
    {"retries", into(&settings::retries, 100)},
    {"sweep_interval_ms", milliseconds(&settings::sweep_interval)},
    {"poll_interval_ms", milliseconds(&settings::poll_interval)},
    {"poll_failures", into(&settings::poll_failures, 1000, 1)},
    {"sa_at_once", into(&settings::sa_at_once, 65'536, 1)},
    {"lids_file", [](settings& to, json::value const& value) { to.lids_file = name(value); }},
};

settings read_one(json::value const& from)
{
    if (!from.is_object())
        throw wrong{json::serialize(from) + " is no object of settings"};
    settings read;
    for (auto const& [key, value] : from.get_object()) {
        auto const known = members.find(std::string_view{key});
        if (known == members.end()) {
            std::string names;
            for (auto const& one : members)
                names += (names.empty() ? "" : ", ") + std::string{one.first};
            throw wrong{fmt::format("there is no setting \"{}\"; there are {}", std::string_view{key}, names)};
        }
        try {
            known->second(read, value);
        } catch (wrong const& why) {
            throw wrong{fmt::format("\"{}\": {}", std::string_view{key}, why.what)};
        }
    }
    return read;
}

} // namespace

madrigal::result<std::vector<settings>> read_settings(std::filesystem::path const& file)
{
    errno = 0;
    std::ifstream stream{file};
    std::string content(1U << 20, '\0'); // more than anybody would write
    stream.read(content.data(), static_cast<std::streamsize>(content.size()));
    if (!stream.eof())
        return madrigal::errno_error(errno != 0 ? errno : EFBIG, "settings " + file.string());
    content.resize(static_cast<std::size_t>(stream.gcount()));
    boost::system::error_code code;
    auto const parsed = json::parse(content, code);
    if (code)
        return madrigal::error{code, "settings " + file.string() + " are no JSON"};
    try {
        std::vector<settings> all;
        if (!parsed.is_array())
            all.push_back(read_one(parsed));
        else
            for (auto const& one : parsed.get_array())
                all.push_back(read_one(one));
        if (all.empty())
            throw wrong{"there is no subnet in them"};
        return all;
    } catch (wrong const& why) {
        return madrigal::error{madrigal::errc::invalid_argument, "settings " + file.string() + ": " + why.what};
    }
}

} // namespace sm
