// One connection of a client, from its first message on.
#pragma once

#include "remote/message.hpp"
#include "remote/packet_socket.hpp"
#include "remote/protocol.hpp"
#include "remote/served_machines.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace madrigal::remote {

/// Answers questions. A connection that asks for a umad file becomes that file's; one that asks for an issm file holds
/// it. One that sends what is no question is closed.
class session : public std::enable_shared_from_this<session> {
public:
    session(descriptor socket, served_machines& machines);
    session(session const&) = delete;
    session& operator=(session const&) = delete;
    ~session() = default;

    /// Called once, when the connection has ended or belongs to a file.
    void on_end(std::function<void()> handler) { on_end_ = std::move(handler); }
    void start();
    void end();
    /// Where this holds an issm file and its client has gone, lets go of it.
    void end_if_dead();

private:
    void wait();
    /// False where the connection is to be closed, or is not ours any more.
    [[nodiscard]] bool take_one(std::span<std::byte const> message);
    [[nodiscard]] bool answer_question(message_head const& head, message_reader& question);
    [[nodiscard]] bool about_a_file(message_head const& head, message_reader& question);
    [[nodiscard]] bool write(message_head const& head, std::span<std::byte const> packet, served_file& file);
    [[nodiscard]] bool write_piece(message_head const& head, message_reader& question, served_file& file);
    template <class Request>
    [[nodiscard]] bool register_agent(message_head const& head, message_reader& question, served_file& file,
        error_code (umad::port_file::*ask)(Request&) noexcept);
    void take_message();
    /// Calls `then(where, port)` for the port that the question names; answers itself where there is none.
    template <class Then>
    [[nodiscard]] bool at_place(message_head const& head, message_reader& question, Then const& then);
    [[nodiscard]] bool list_cas(message_head const& head, message_reader& question);
    [[nodiscard]] bool open_port(message_head const& head, machine_and_ca const& where, unsigned port);
    [[nodiscard]] bool open_issm(message_head const& head, machine_and_ca const& where, unsigned port);
    [[nodiscard]] bool reply(message_head const& head, message_writer const& body);
    [[nodiscard]] bool reply(message_head const& head, error const& failed);

    boost::asio::posix::stream_descriptor socket_;
    served_machines& machines_;
    std::function<void()> on_end_;
    boost::asio::steady_timer patience_; ///< for the first message
    std::unique_ptr<umad::issm_file> issm_;
    std::vector<std::byte> long_write_; ///< what has come so far of a packet in pieces
    bool is_control_ = false;
};

} // namespace madrigal::remote
