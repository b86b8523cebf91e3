// One umad file that a client has open here.
#pragma once

#include "remote/packet_socket.hpp"

#include <madrigal/remote/server.hpp>
#include <madrigal/umad/port_file.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace madrigal::remote {

/// Carries packets between the client's socket and the file. What the client does not take stays in the file, whose
/// bounds are the kernel's; what the client has sent is taken at once.
class served_file : public std::enable_shared_from_this<served_file> {
public:
    /// `on_end` is called once, when the client or the device is gone.
    served_file(boost::asio::any_io_executor const& executor, descriptor socket, std::unique_ptr<umad::port_file> file,
        server_counters& counters, std::function<void()> on_end);
    served_file(served_file const&) = delete;
    served_file& operator=(served_file const&) = delete;
    ~served_file();

    void start();
    /// Takes what the client has sent so far, as much as its socket holds.
    void catch_up();
    /// The client has closed its end, or died. What it had sent before is taken then, and the file closed.
    [[nodiscard]] bool end_if_dead();
    /// Closes the file and the connection.
    void end();
    [[nodiscard]] bool is_open() const noexcept { return file_ != nullptr; }

    /// For what comes over a control connection.
    [[nodiscard]] umad::port_file& file() noexcept { return *file_; }
    /// Gives the client what waits in the file.
    void relay();
    /// A piece of a long packet whose beginning the client has; empty where there is no such packet or nothing there.
    /// With the last piece the packet is done.
    [[nodiscard]] std::vector<std::byte> take_piece(std::uint64_t number, std::uint64_t from);

private:
    void wait_for_client();
    void wait_for_file();
    void wait_for_room();
    void wait_once(boost::asio::posix::stream_descriptor& on, boost::asio::posix::stream_descriptor::wait_type what,
        bool served_file::*waits);
    void relay_later();
    [[nodiscard]] bool take_some(std::size_t budget);
    [[nodiscard]] bool read_next();
    [[nodiscard]] bool give();
    [[nodiscard]] bool is_stuck() const noexcept;
    void guard(std::function<void()> const& what);

    boost::asio::posix::stream_descriptor socket_;
    boost::asio::posix::stream_descriptor watch_; ///< the file's own descriptor, which is the file's
    std::unique_ptr<umad::port_file> file_;
    server_counters& counters_;
    std::function<void()> on_end_;
    std::vector<std::byte> packet_;                                ///< the one that is being given to the client
    std::size_t packet_size_ = 0;                                  ///< 0 where there is none
    std::map<std::uint64_t, std::vector<std::byte>> long_packets_; ///< whose beginnings the client has
    std::uint64_t last_long_packet_ = 0;
    bool waits_for_file_ = false;
    bool waits_for_room_ = false;
    bool relays_later_ = false;
};

} // namespace madrigal::remote
