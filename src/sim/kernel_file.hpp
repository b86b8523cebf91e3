// One open umad file of the emulated kernel.
#pragma once

#include <sim/kernel_port.hpp>
#include <sim/kernel_send.hpp>
#include <sim/readiness.hpp>

#include <madrigal/engine/rmpp_message.hpp>
#include <madrigal/umad/port_file.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace madrigal::sim {

class core;

/// What is behind /dev/infiniband/umadN (Linux: drivers/infiniband/core/user_mad.c). The members of `port_file` take
/// the fabric's lock; the others are called under it.
class kernel_file final : public umad::port_file {
public:
    /// A file that is not attached to a port yet; without the lock.
    [[nodiscard]] static result<std::unique_ptr<kernel_file>> make(std::shared_ptr<core> of);
    ~kernel_file() override;

    [[nodiscard]] int native_handle() const noexcept override { return readiness_.descriptor(); }
    result<std::size_t> read(std::span<std::byte> buffer) noexcept override;
    result<std::size_t> write(std::span<std::byte const> bytes) noexcept override;
    error_code enable_pkey() noexcept override;
    error_code register_agent(umad::ib_user_mad_reg_req& request) noexcept override;
    error_code register_agent2(umad::ib_user_mad_reg_req2& request) noexcept override;
    error_code unregister_agent(std::uint32_t id) noexcept override;

    void attach(kernel_port& port);
    /// The port behind it; null once the device is gone.
    [[nodiscard]] kernel_port* port() const noexcept { return port_; }
    /// The device goes away: whatever is open or waits ends here.
    void device_gone() noexcept;
    void take_request(kernel_agent& agent, packet& one);
    void take_answer(kernel_agent& agent, packet& one);
    /// No answer in time: once more, or a report.
    void expire(kernel_send& one);

    // For the RMPP of its agents.
    /// Sends a packet of a transfer, if its address is still one.
    void send_segment(umad::ib_user_mad_hdr const& header, std::array<std::byte, mad_size> const& mad);
    /// A message is whole. `header` is that of its first segment.
    void take_message(kernel_agent const& agent, umad::ib_user_mad_hdr const& header, engine::rmpp_message message);
    /// All of it is acknowledged: its answer may come.
    void transferred(kernel_send& one);
    /// Ends a send; told where nobody acknowledged it, and not where the peer has ended it.
    void transfer_failed(kernel_send& one, bool told);

    /// Received MADs that wait unread at a time; more are dropped (Linux 6.10: MAX_UMAD_RECV_LIST_SIZE).
    static constexpr std::size_t receive_limit = 200'000;

private:
    explicit kernel_file(std::shared_ptr<core> of) noexcept;

    [[nodiscard]] std::size_t header_bytes() const noexcept
    {
        return pkey_mode_ ? umad::header_size : umad::old_header_size;
    }
    [[nodiscard]] std::optional<std::uint32_t> free_id() const noexcept;
    int enter(agent_request const& request, std::uint32_t id);
    void leave(std::uint32_t id) noexcept;

    int send(std::span<std::byte const> bytes);
    int send_message(kernel_agent& agent, packet const& first, std::span<std::byte const> message);
    [[nodiscard]] kernel_send& keep(packet const& one);
    [[nodiscard]] int address(umad::ib_user_mad_hdr const& header, packet& one) const;
    [[nodiscard]] bool is_duplicate(packet const& one, bool response) const;
    void transmit(packet& one);
    [[nodiscard]] kernel_send* find_question(umad::ib_user_mad_hdr const& from, mad_view answer) const noexcept;
    void answered(kernel_send& one) noexcept;
    void report(kernel_send& one);
    void retire(kernel_send& one) noexcept;

    void describe(kernel_agent const& agent, packet& one) const;
    void deliver(packet& one);
    void append(packet& one);
    result<std::size_t> take_first(std::span<std::byte> buffer) noexcept;

    std::shared_ptr<core> core_;
    kernel_port* port_ = nullptr;
    readiness readiness_;
    bool pkey_mode_ = false;
    bool already_used_ = false; ///< an agent was registered, so the header's size stands
    std::array<std::unique_ptr<kernel_agent>, umad::max_agents> agents_;
    kernel_send_table sends_;
    packet* first_ = nullptr; ///< the receive list
    packet* last_ = nullptr;
    std::size_t received_ = 0; ///< of them, all but reports of timeouts
};

} // namespace madrigal::sim
