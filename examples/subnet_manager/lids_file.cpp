#include "lids_file.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

namespace sm {

madrigal::result<madrigal::known_lids> read_lids(std::filesystem::path const& file)
{
    madrigal::known_lids lids;
    if (!std::filesystem::exists(file))
        return lids;
    std::ifstream stream{file};
    std::string content;
    std::getline(stream, content, '\0');
    if (!stream.is_open() || stream.bad())
        return madrigal::errno_error(errno, "LIDs in " + file.string());
    auto const broken = [&](std::string const& what) {
        return madrigal::error{madrigal::errc::invalid_argument,
            fmt::format("LIDs in {}: {}; remove the file to give LIDs anew", file.string(), what)};
    };
    boost::system::error_code code;
    auto const parsed = boost::json::parse(content, code);
    if (code || !parsed.is_object())
        return broken("no JSON object");
    for (auto const& [key, value] : parsed.get_object()) {
        std::string const digits{key};
        char* end = nullptr;
        auto const port = std::strtoull(digits.c_str(), &end, 16);
        auto const lid = madrigal::lid{value.to_number<std::uint16_t>(code)};
        if (digits.size() != 18 || !digits.starts_with("0x") || *end != '\0' || code || !lid.is_unicast())
            return broken(fmt::format("\"{}\": {} is no GUID with a LID", digits, boost::json::serialize(value)));
        lids[madrigal::guid{port}] = lid;
    }
    return lids;
}

madrigal::result<void> write_lids(std::filesystem::path const& file, madrigal::known_lids const& lids)
{
    std::string content = "{";
    for (auto const& [port, lid] : lids)
        content += fmt::format("{}\n  \"{}\": {}", content.size() == 1 ? "" : ",", to_string(port), lid.value());
    content += "\n}\n";
    auto const beside = file.string() + ".new";
    auto const failed = [&] { return madrigal::errno_error(errno, "LIDs cannot be kept in " + beside); };
    int const opened = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (opened < 0)
        return failed();
    bool const written =
        ::write(opened, content.data(), content.size()) == static_cast<ssize_t>(content.size()) && ::fsync(opened) == 0;
    auto why = written ? madrigal::result<void>{madrigal::outcome::success()} : failed();
    ::close(opened);
    if (!why)
        return why;
    if (::rename(beside.c_str(), file.c_str()) != 0)
        return failed();
    return madrigal::outcome::success();
}

} // namespace sm
