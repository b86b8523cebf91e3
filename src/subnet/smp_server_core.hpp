// The agents of an SMP server, and what they do with what comes.
#pragma once

#include "subnet/trap_queue.hpp"

#include <madrigal/runtime/agent.hpp>
#include <madrigal/subnet/smp_server.hpp>

#include <array>
#include <memory>

namespace madrigal::detail {

/// Belongs to the loop; kept alive by its own agents until it is closed.
class smp_server_core : public std::enable_shared_from_this<smp_server_core> {
public:
    smp_server_core(port on, smp_server_options const& options);

    [[nodiscard]] result<void> start();
    void close() noexcept;

    void receive(sa_waiter_ptr<trap_notice> waiter, asio::cancellation_slot slot)
    {
        traps_.receive(std::move(waiter), slot);
    }
    void serve_sm_info(std::weak_ptr<sm_info_service> by) noexcept { sm_info_ = std::move(by); }
    void set_own_m_key(std::uint64_t key, unsigned protection) noexcept
    {
        options_.own_m_key = key;
        options_.own_protection = protection;
    }
    [[nodiscard]] m_key_table& keys() noexcept { return options_.keys; }
    [[nodiscard]] smp_server_counters counters() const noexcept;
    [[nodiscard]] asio::any_io_executor const& loop() const noexcept { return on_.executor(); }

private:
    /// One class's agent, and when it looks again for a device that was lost.
    struct half {
        agent over;
        unsigned waiting = 0; // receives
        std::unique_ptr<alarm> again;
    };

    [[nodiscard]] result<void> open(half& which, umad::registration const& wanted);
    void listen(half& on);
    void look_for_device(half& lost);
    void on_received(half& on, error_code code, request what);
    void on_trap(request& trap);
    /// Before this could take it; questions are among it.
    [[nodiscard]] std::uint64_t inbox_dropped() const noexcept;
    void on_question(request& asked);
    /// The answer to SMInfo; nothing where there is to be none.
    [[nodiscard]] bool answer_sm_info(request& asked, sm_info_service& by, std::uint16_t& status);
    [[nodiscard]] bool may_see_sm_key(bool has_m_key, bool shows_it, std::uint64_t sm_key) const noexcept;
    [[nodiscard]] std::uint16_t on_control(request const& asked, sm_info_service& by, sm_info const& from);

    port on_; // before what lives by its time
    smp_server_options options_;
    trap_queue traps_;
    std::array<half, 2> halves_;
    std::weak_ptr<sm_info_service> sm_info_;
    smp_server_counters counters_;
    bool lost_ = false; // the device, and nobody has been told yet that it is back
    bool closed_ = false;
};

} // namespace madrigal::detail
