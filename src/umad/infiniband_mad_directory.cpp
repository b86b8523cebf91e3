#include "umad/class_directory.hpp"
#include "umad/sysfs_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

namespace madrigal::umad::sysfs {
namespace {

/// IB_USER_MAD_ABI_VERSION (Linux: include/uapi/rdma/ib_user_mad.h).
constexpr std::uint64_t known_version = 5;

std::optional<std::uint64_t> parse_any_number(std::string_view text)
{
    return parse_number(text, std::numeric_limits<std::uint64_t>::max());
}

std::optional<std::string> any_text(std::string_view text)
{
    return std::string{text};
}

} // namespace

infiniband_mad_directory::infiniband_mad_directory(std::string const& sysfs_root, reader from)
    : path_{sysfs_root + "/class/infiniband_mad"}, from_{std::move(from)}
{}

result<void> infiniband_mad_directory::check_version() const
{
    if (!from_.has_directory(path_))
        return error{errc::no_infiniband, fmt::format("{} is missing; load ib_umad (modprobe ib_umad)", path_)};
    auto const file = path_ + "/abi_version";
    auto const version = from_.required(file, parse_any_number);
    if (!version && is_absent(version.error()))
        return error{errc::malformed_sysfs_value, fmt::format("{} is missing", file)};
    if (!version)
        return version.error();
    if (version.value() != known_version)
        return errno_error(
            EOPNOTSUPP, fmt::format("{} is {}, and Madrigal speaks version {} of ib_umad's interface only", file,
                            version.value(), known_version));
    return outcome::success();
}

result<std::string> infiniband_mad_directory::find(std::string_view kind, std::string_view ca, unsigned port) const
{
    BOOST_OUTCOME_TRY(auto const names, from_.names(path_));
    std::vector<unsigned> numbers;
    for (auto const& name : names)
        if (auto const number = parse_numbered_name(name, kind, std::numeric_limits<int>::max()))
            numbers.push_back(*number);
    std::sort(numbers.begin(), numbers.end());

    std::optional<error> trouble; // with another entry; of interest only if it may have been the one
    for (unsigned const number : numbers) {
        auto name = fmt::format("{}{}", kind, number);
        auto const device = from_.required(fmt::format("{}/{}/ibdev", path_, name), any_text);
        auto const device_port = from_.required(fmt::format("{}/{}/port", path_, name), parse_any_number);
        if (device && device_port) {
            if (device.value() == ca && device_port.value() == port)
                return name;
            continue;
        }
        auto const& why = device ? device_port.error() : device.error();
        if (!is_absent(why) && !trouble)
            trouble = why;
    }
    return error{errc::no_usable_port, fmt::format("{} has no {} entry for {} port {}{}", path_, kind, ca, port,
                                           trouble ? fmt::format(" (unreadable: {})", trouble->message()) : "")};
}

} // namespace madrigal::umad::sysfs
