#include <madrigal/hosts/fabric_source.hpp>
#include <madrigal/hosts/host_uri.hpp>
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/remote/connect.hpp>
#include <madrigal/sim/host.hpp>
#include <madrigal/umad/linux_host.hpp>

#include <cstdlib>
#include <optional>
#include <utility>

namespace madrigal {
namespace {

error wrong(std::string_view uri, std::string what)
{
    return {errc::malformed_uri, "host '" + std::string{uri} + "': " + std::move(what)};
}

result<std::shared_ptr<umad::host>> open_linux(std::string_view text, host_uri const& uri)
{
    umad::linux_host_options options;
    if (!uri.path.empty())
        return wrong(text, "linux takes no path");
    for (auto const& [name, value] : uri.parameters) {
        if (name == "sysfs")
            options.sysfs_root = value;
        else if (name == "dev")
            options.device_root = value;
        else
            return wrong(text, "unknown parameter '" + name + "'; known: sysfs, dev");
    }
    return std::shared_ptr<umad::host>{std::make_shared<umad::linux_host>(std::move(options))};
}

/// Of hosts that are one machine among many: the one that the URI names, else the environment.
std::optional<std::string> machine_named(std::optional<std::string> in_uri)
{
    char const* const named = std::getenv("MADRIGAL_CA");
    return in_uri || named == nullptr || *named == '\0' ? std::move(in_uri) : std::string{named};
}

result<std::shared_ptr<umad::host>> open_sim(std::string_view text, open_host_options const& options)
{
    BOOST_OUTCOME_TRY(auto source, parse_fabric_source(text));
    source.ca = machine_named(std::move(source.ca));
    auto const ca = source.ca;
    BOOST_OUTCOME_TRY(auto fabric, open_fabric(std::move(source), options));
    return sim::make_host(std::move(fabric), ca ? std::optional<std::string_view>{*ca} : std::nullopt);
}

result<std::shared_ptr<umad::host>> open_unix(std::string_view text, host_uri const& uri)
{
    if (uri.path.empty())
        return wrong(text, "unix: needs the path of a socket, as in unix:fabric.sock");
    std::optional<std::string> ca;
    for (auto const& [name, value] : uri.parameters) {
        if (name != "ca")
            return wrong(text, "unknown parameter '" + name + "'; known: ca");
        ca = value;
    }
    return remote::connect(uri.path, machine_named(std::move(ca)));
}

} // namespace

std::string default_host_uri()
{
    char const* const named = std::getenv("MADRIGAL_HOST");
    return named != nullptr && *named != '\0' ? named : "linux";
}

result<std::shared_ptr<umad::host>> open_host(std::string_view uri, open_host_options const& options)
{
    BOOST_OUTCOME_TRY(auto const parts, parse_host_uri(uri));
    if (parts.scheme == "linux")
        return open_linux(uri, parts);
    if (parts.scheme == "sim")
        return open_sim(uri, options);
    if (parts.scheme == "unix")
        return open_unix(uri, parts);
    return wrong(uri, "unknown scheme '" + parts.scheme + "'; known: linux, sim:FILE, unix:SOCKET");
}

} // namespace madrigal
