// A machine that another process serves over a Unix socket.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/umad/host.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace madrigal::remote {

/// Connects to a server (server.hpp, `madrigal sim serve`). The host lists one CA: the one that `ca` names (device
/// name, GUID, node id or description), or the server's first. Other CAs of the server can be queried and opened by
/// name all the same.
///
/// Every question waits for the server, up to 30 seconds, and a write waits while the server is behind: a server that
/// is stopped holds its clients up as a kernel would that is busy.
///
/// A file's descriptor is a socket of its own: it works with poll, select and epoll, is closed on exec, and may be used
/// after a fork; the file is closed when all processes have closed it. Safe from any thread: read, write and the others
/// may run at the same time, also on one file.
///
/// Errors: the system's own, with the path, where nobody listens; errc::no_such_ca with candidates.
[[nodiscard]] result<std::shared_ptr<umad::host>> connect(
    std::filesystem::path const& socket, std::optional<std::string> ca = std::nullopt);

} // namespace madrigal::remote
