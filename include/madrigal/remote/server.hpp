// Machines served to other processes over a Unix socket.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/umad/host.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace madrigal::remote {

/// Opens the machine that has this CA (device name, GUID, node id or description), or the first one where none is
/// named. What it gives is kept under that name; its error goes to the client that has named the CA.
using machine_opener = std::function<result<std::shared_ptr<umad::host>>(std::optional<std::string_view> ca)>;

/// How a server is made.
struct server_options {
    /// Where the socket is made. A socket that nobody listens at any more is replaced.
    std::filesystem::path socket{};
};

/// What a server has done.
struct server_counters {
    std::uint64_t clients = 0;        ///< processes connected now
    std::uint64_t clients_total = 0;  ///< ever connected
    std::uint64_t files = 0;          ///< umad files open now
    std::uint64_t files_total = 0;    ///< ever opened
    std::uint64_t issm_files = 0;     ///< issm files held now
    std::uint64_t packets_in = 0;     ///< written by clients
    std::uint64_t packets_out = 0;    ///< handed to clients
    std::uint64_t refused_writes = 0; ///< writes that the file refused after the client was told that they were taken
    std::uint64_t broken_clients = 0; ///< put out because of what they sent
};

/// Serves hosts to clients that `remote::connect` has connected. Each client's open umad files are files of the hosts
/// here, so that what holds between processes on one machine holds between clients: methods conflict, IsSM is held by
/// one, and what a process leaves open is closed when it dies. A client that stalls, dies or sends nonsense disturbs no
/// other: what it does not read waits in its own umad file, under that file's bounds.
///
/// All members belong to the executor's thread.
class server {
public:
    /// Listens. errc::invalid_argument for a path too long for a socket (107 bytes), EADDRINUSE where somebody listens
    /// there or something else than a socket lies, and the system's errors otherwise, with the path.
    [[nodiscard]] static result<std::unique_ptr<server>> listen(
        boost::asio::any_io_executor const& executor, machine_opener machines, server_options const& options);
    server(server const&) = delete;
    server& operator=(server const&) = delete;
    /// Puts all clients out and removes the socket.
    ~server();

    [[nodiscard]] server_counters counters() const;

private:
    class implementation;
    explicit server(std::shared_ptr<implementation> of) noexcept;
    std::shared_ptr<implementation> implementation_;
};

} // namespace madrigal::remote
