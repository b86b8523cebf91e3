// A umad file that another process has open for this one.
#pragma once

#include "remote/control_channel.hpp"
#include "remote/outstanding.hpp"
#include "remote/packet_socket.hpp"
#include "remote/process_lock.hpp"

#include <madrigal/umad/port_file.hpp>
#include <madrigal/wire/mad.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace madrigal::remote {

/// Reads and writes over the file's own socket. A write that a kernel would surely take is on its way when it returns;
/// any other waits for the server's word.
class remote_file final : public umad::port_file {
public:
    remote_file(descriptor socket, std::uint64_t token, unsigned port, std::shared_ptr<control_channel> control);

    [[nodiscard]] int native_handle() const noexcept override { return socket_.get(); }
    result<std::size_t> read(std::span<std::byte> buffer) noexcept override;
    result<std::size_t> write(std::span<std::byte const> packet) noexcept override;
    void write_without_waiting() noexcept override { waits_ = false; }
    error_code enable_pkey() noexcept override;
    error_code register_agent(umad::ib_user_mad_reg_req& request) noexcept override;
    error_code register_agent2(umad::ib_user_mad_reg_req2& request) noexcept override;
    error_code unregister_agent(std::uint32_t id) noexcept override;

private:
    /// What is known here of an agent; packed, so that one look is atomic.
    struct known_agent {
        bool there = false;
        std::uint8_t mgmt_class = 0;
        std::uint8_t rmpp_version = 0;
        bool user_rmpp = false;
    };

    [[nodiscard]] std::size_t header_bytes() const noexcept;
    [[nodiscard]] int take(std::span<std::byte> buffer, std::size_t& size, long_packet& rest) noexcept;
    [[nodiscard]] int look_ahead(std::span<std::byte> buffer) noexcept;
    [[nodiscard]] int fetch(long_packet const& from, std::span<std::byte> buffer, std::size_t& size) noexcept;
    void settle(std::span<std::byte const> packet) noexcept;
    [[nodiscard]] bool is_surely_taken(
        umad::ib_user_mad_hdr const& header, std::span<std::byte const> mad, bool is_new) const noexcept;
    [[nodiscard]] int send(std::span<std::byte const> packet) const noexcept;
    [[nodiscard]] int ask_to_write(std::span<std::byte const> packet) noexcept;
    template <class Request>
    error_code ask_to_register(operation what, Request& request) noexcept;
    [[nodiscard]] int write_in_pieces(std::span<std::byte const> packet);
    [[nodiscard]] int ask(operation what, message_writer const& question) noexcept;

    descriptor socket_;
    std::uint64_t token_;
    unsigned forks_; ///< how often this process had been forked when the file was opened
    unsigned port_;
    std::shared_ptr<control_channel> control_;
    outstanding outstanding_;
    std::array<std::atomic<known_agent>, umad::max_agents> agents_{};
    std::atomic<bool> waits_ = true;
    std::atomic<bool> pkey_mode_ = false;
    std::atomic<bool> registered_before_ = false;
    std::atomic<bool> long_packets_ = false; ///< an agent whose kernel does RMPP has been registered
    process_lock reading_;                   ///< between looking at a packet and taking it
};

} // namespace madrigal::remote
