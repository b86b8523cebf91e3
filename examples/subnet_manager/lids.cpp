#include "lids.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <unistd.h>

namespace sm {
namespace {

namespace json = boost::json;
using madrigal::errc;
using madrigal::error;
using madrigal::max_unicast_lid;

/// Which LIDs are taken.
class lid_space {
public:
    /// False where one of them is taken, or is none.
    bool take(unsigned first, unsigned count)
    {
        if (first == 0 || first % count != 0 || first + count - 1 > max_unicast_lid.value())
            return false;
        for (unsigned i = 0; i != count; ++i)
            if (taken_[first + i])
                return false;
        for (unsigned i = 0; i != count; ++i)
            taken_[first + i] = true;
        return true;
    }
    std::optional<unsigned> take_any(unsigned count)
    {
        auto& from = next_[count];
        for (from = std::max(from, count); from + count - 1 <= max_unicast_lid.value(); from += count)
            if (take(from, count))
                return from;
        return std::nullopt;
    }

private:
    std::vector<bool> taken_ = std::vector<bool>(max_unicast_lid.value() + 1U);
    std::map<unsigned, unsigned> next_;
};

} // namespace

madrigal::result<lid_memory> lid_memory::open(std::filesystem::path file)
{
    lid_memory memory;
    memory.file_ = std::move(file);
    if (memory.file_.empty() || !std::filesystem::exists(memory.file_))
        return memory;
    std::ifstream stream{memory.file_};
    std::string const content{std::istreambuf_iterator<char>{stream}, {}};
    if (!stream)
        return madrigal::errno_error(errno, "LIDs in " + memory.file_.string());
    auto const broken = [&](std::string const& what) {
        return error{errc::invalid_argument,
            fmt::format("LIDs in {}: {}; remove the file to give LIDs anew", memory.file_.string(), what)};
    };
    boost::system::error_code code;
    auto const parsed = json::parse(content, code);
    if (code || !parsed.is_object())
        return broken("no JSON object");
    for (auto const& [key, value] : parsed.get_object()) {
        std::uint64_t guid = 0;
        auto const [end, why] = std::from_chars(key.data() + 2, key.data() + key.size(), guid, 16);
        auto const lid = value.to_number<std::uint16_t>(code);
        if (!key.starts_with("0x") || why != std::errc{} || end != key.data() + key.size() || code ||
            !madrigal::lid{lid}.is_unicast())
            return broken(
                fmt::format("\"{}\": {} is no GUID with a LID", std::string_view{key}, json::serialize(value)));
        memory.by_guid_[guid] = lid;
    }
    return memory;
}

madrigal::result<void> lid_memory::assign(subnet& to, unsigned lmc)
{
    lid_space space;
    for (auto& end : to.ends) { // a base switch port 0 has one LID
        auto const base0 = to.is_switch(end.at.node) && !to.node(end.at.node).enhanced_port0;
        end.lmc = static_cast<std::uint8_t>(base0 ? 0 : lmc);
        end.base_lid = {};
    }
    auto const give = [&](end_port& end, unsigned first) {
        if (!space.take(first, end.lid_count()))
            return false;
        end.base_lid = madrigal::lid{static_cast<std::uint16_t>(first)};
        return true;
    };
    // Ports with equal GUIDs: the first keeps what the GUID had.
    for (auto& end : to.ends)
        if (auto const known = by_guid_.find(end.port_guid.value()); known != by_guid_.end())
            (void)give(end, known->second);
    // LIDs of ports that are not there now stay theirs as long as there are others.
    std::vector<bool> present(max_unicast_lid.value() + 1U);
    for (auto const& end : to.ends)
        present[end.base_lid.value()] = true;
    auto reserved = space;
    for (auto const& [guid, lid] : by_guid_)
        (void)reserved.take(lid, 1);
    for (auto& end : to.ends)
        if (auto const& info = to.info(end.at); !end.base_lid.is_unicast() && info.base_lid.is_unicast()) {
            if (reserved.take(info.base_lid.value(), end.lid_count()))
                (void)give(end, info.base_lid.value());
        }
    for (auto& end : to.ends) {
        if (end.base_lid.is_unicast())
            continue;
        auto first = reserved.take_any(end.lid_count());
        if (first)
            (void)space.take(*first, end.lid_count());
        else
            first = space.take_any(end.lid_count());
        if (!first)
            return error{errc::invalid_argument,
                fmt::format("there are more ports than LIDs: {} is left without one", to.name(end.at.node))};
        end.base_lid = madrigal::lid{static_cast<std::uint16_t>(*first)};
    }
    for (auto const& end : to.ends)
        if (auto& kept = by_guid_[end.port_guid.value()]; kept != end.base_lid.value()) {
            kept = end.base_lid.value();
            changed_ = true;
        }
    to.index_lids();
    return madrigal::outcome::success();
}

madrigal::result<void> lid_memory::save()
{
    if (file_.empty() || !changed_)
        return madrigal::outcome::success();
    std::string content = "{";
    for (auto const& [guid, lid] : by_guid_)
        content += fmt::format("{}\n  \"0x{:016x}\": {}", content.size() == 1 ? "" : ",", guid, lid);
    content += "\n}\n";
    auto const beside = file_.string() + ".new";
    auto const failed = [&] { return madrigal::errno_error(errno, "LIDs cannot be kept in " + beside); };
    int const file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0)
        return failed();
    bool const written =
        ::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()) && ::fsync(file) == 0;
    auto const why = written ? madrigal::result<void>{madrigal::outcome::success()} : failed();
    ::close(file);
    if (!why)
        return why;
    if (::rename(beside.c_str(), file_.c_str()) != 0)
        return failed();
    changed_ = false;
    return madrigal::outcome::success();
}

} // namespace sm
