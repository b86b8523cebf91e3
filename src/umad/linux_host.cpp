#include <madrigal/umad/linux_host.hpp>

#include "umad/class_directory.hpp"

#include <madrigal/umad/linux_port_file.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <utility>

namespace madrigal::umad {
namespace {

sysfs::infiniband_directory devices(linux_host_options const& options)
{
    return {options.sysfs_root, sysfs::reader{options.calls}};
}

std::string_view advice(int number)
{
    switch (number) {
    case ENOENT: return " (udev has not made the file yet, or this container was not given it)";
    case EACCES: return " (the file's permissions do not allow it; root may)";
    case EPERM: return " (the device belongs to another network namespace, or a device policy forbids it)";
    case ENXIO: return " (the device is going away)";
    case EAGAIN: return " (another program holds it open)";
    default: return "";
    }
}

} // namespace

linux_host::linux_host(linux_host_options options) : options_{std::move(options)} {}

std::string linux_host::uri() const
{
    return "linux";
}

result<std::vector<std::string>> linux_host::ca_names()
{
    return devices(options_).ca_names();
}

result<ca_attributes> linux_host::query_ca(std::string_view ca)
{
    return devices(options_).query_ca(ca);
}

result<port_attributes> linux_host::query_port(std::string_view ca, unsigned port)
{
    return devices(options_).query_port(ca, port);
}

result<subnet_attributes> linux_host::query_subnet(std::string_view ca, unsigned port)
{
    return devices(options_).query_subnet(ca, port);
}

result<std::string> linux_host::device_path(std::string_view kind, std::string_view ca, unsigned port)
{
    auto const directory = devices(options_);
    BOOST_OUTCOME_TRY(auto const names, directory.ca_names());
    if (names.empty())
        return error{errc::no_infiniband,
            fmt::format("{} has no device; load the adapter's driver (modprobe mlx5_ib, mlx4_ib, …) and ib_umad "
                        "(modprobe ib_umad)",
                directory.path())};
    sysfs::infiniband_mad_directory const files{options_.sysfs_root, sysfs::reader{options_.calls}};
    BOOST_OUTCOME_TRY(files.check_version());
    auto const entry = files.find(kind, ca, port);
    if (!entry) {
        // Better than "no entry": that there is no such CA or port at all.
        auto const known = directory.query_port(ca, port);
        if (!known && (known.error() == errc::no_such_ca || known.error() == errc::no_such_port))
            return known.error();
        return entry.error();
    }
    return fmt::format("{}/infiniband/{}", options_.device_root, entry.value());
}

result<int> linux_host::open_device(std::string_view kind, std::string_view ca, unsigned port)
{
    BOOST_OUTCOME_TRY(auto const path, device_path(kind, ca, port));
    int const descriptor = options_.calls->open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        int const number = errno;
        return errno_error(number, fmt::format("open {} for {} port {}{}", path, ca, port, advice(number)));
    }
    return descriptor;
}

result<std::unique_ptr<port_file>> linux_host::open_port(std::string_view ca, unsigned port)
{
    BOOST_OUTCOME_TRY(int const descriptor, open_device("umad", ca, port));
    return std::make_unique<linux_port_file>(descriptor, options_.calls);
}

result<std::unique_ptr<issm_file>> linux_host::open_issm(std::string_view ca, unsigned port)
{
    BOOST_OUTCOME_TRY(int const descriptor, open_device("issm", ca, port));
    return std::make_unique<linux_issm_file>(descriptor, options_.calls);
}

result<std::string> linux_host::issm_path(std::string_view ca, unsigned port)
{
    return device_path("issm", ca, port);
}

} // namespace madrigal::umad
