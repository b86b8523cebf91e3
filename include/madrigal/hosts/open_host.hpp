// One function: opens the host that a URI names.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/error.hpp>
#include <madrigal/umad/host.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace madrigal {

/// The URI in the environment variable MADRIGAL_HOST, else `linux`.
[[nodiscard]] std::string default_host_uri();

/// What a host that is made here needs to know.
struct open_host_options {
    /// The time of a simulated fabric; the machine's steady clock where null. Not owned.
    time_source* time = nullptr;
    /// Called once, during open_host, where the reader of a topology file passed something over: `FILE: N lines passed
    /// over, the first at FILE:LINE: REASON`. The fabric is then not quite what the file says. May be null.
    std::function<void(std::string const&)> on_note{};
    /// Called after that for each of them, the first thousand: `FILE:LINE: REASON (TEXT OF THE LINE)`. May be null.
    std::function<void(std::string const&)> on_detail{};
};

/// Opens the host that a URI names:
///
/// - `linux`: this machine's devices. `linux?sysfs=DIR&dev=DIR` reads another directory tree.
/// - `sim:FILE`: a fabric in this process, loaded from ibnetdiscover text, as cabled: ports Init, no LIDs, empty
/// tables.
/// - `sim:FILE?configured`: the same as a subnet manager leaves it: LIDs, min-hop tables, ports ACTIVE.
/// - `unix:SOCKET`: a machine on a fabric that another process serves (`madrigal sim serve`). `ca=NAME` chooses the CA
///   whose ports it shows; the server's first one otherwise.
///
/// Of `sim:` and `unix:` hosts the environment variable MADRIGAL_CA names the CA where the URI does not.
///
/// Parameters follow `?` and are separated by `&`; `%XX` stands for a byte. For `sim:`: `ca=NAME` (device name, GUID,
/// node id or description of the CA whose ports this host shows; the first one otherwise), `ping` (the other CAs answer
/// pings, as `madrigal ping --serve` there would), `seed=N`, `loss=P`, `duplicate=P` (probabilities per link
/// traversal), `latency=T` and `jitter=T` (per link traversal), `service=T` (per request at a node), where T is a
/// number with `ns`, `us`, `ms` or `s`.
///
/// Errors: errc::malformed_uri with what is wrong and what is known; errc::malformed_topology with file and line;
/// errc::no_such_ca with candidates.
[[nodiscard]] result<std::shared_ptr<umad::host>> open_host(
    std::string_view uri, open_host_options const& options = {});

} // namespace madrigal
