// Paths that programs open to be subnet managers, as they would /dev/infiniband/issmN.
#pragma once

#include "remote/machines.hpp"
#include "remote/packet_socket.hpp"

#include <madrigal/remote/server.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace madrigal::remote {

/// FIFOs, one for each port that somebody asks for, in a folder beside the socket. As long as somebody has one open for
/// reading, the port's issm file is held here. Unlike the kernel's file a FIFO cannot refuse a second reader: IsSM then
/// stands until both have closed it.
class issm_paths {
public:
    issm_paths(boost::asio::any_io_executor executor, std::filesystem::path const& socket, server_counters& counters);
    issm_paths(issm_paths const&) = delete;
    issm_paths& operator=(issm_paths const&) = delete;
    ~issm_paths();

    /// Makes the FIFO where there is none yet.
    [[nodiscard]] result<std::string> path_of(machine_and_ca const& where, unsigned port);
    /// Whoever could not become subnet manager before tries again.
    void try_again();
    /// Lets go of what was held for those who have closed their FIFO and have not been heard of yet.
    void bury_the_dead();
    void end();

private:
    struct path;

    [[nodiscard]] error begin();
    void wait_for_opens();
    void look_at_opens();
    void look_at_all();
    void look_at(std::shared_ptr<path> const& one);
    void let_go(path& one);
    void wait_for_close(std::shared_ptr<path> const& one);

    boost::asio::any_io_executor executor_;
    std::filesystem::path socket_;
    std::filesystem::path folder_;
    unsigned mode_ = 0600;
    server_counters& counters_;
    std::unique_ptr<boost::asio::posix::stream_descriptor> opens_; ///< inotify
    std::map<std::string, std::shared_ptr<path>> by_name_;
    std::map<int, std::shared_ptr<path>> by_watch_;
};

} // namespace madrigal::remote
