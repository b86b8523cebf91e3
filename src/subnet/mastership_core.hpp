// The driver of SMInfo's state machine: carries out its steps and decides nothing.
#pragma once

#include "subnet/mailbox.hpp"

#include <madrigal/engine/rate_limit.hpp>
#include <madrigal/engine/sm_machine.hpp>
#include <madrigal/subnet/mastership.hpp>
#include <madrigal/subnet/sm_info_service.hpp>

#include <map>
#include <memory>

namespace madrigal::detail {

/// Belongs to the loop.
class mastership_core final : public sm_info_service, public std::enable_shared_from_this<mastership_core> {
public:
    mastership_core(port on, smp_client client, mastership_options const& options);

    void start();
    void restart();
    void close() noexcept;

    void receive(sa_waiter_ptr<sm_duty> waiter, asio::cancellation_slot slot)
    {
        duties_.receive(std::move(waiter), slot);
    }
    [[nodiscard]] bool has_duty() const noexcept { return duties_.size() != 0 && has_news_; }
    void on_sweep(std::span<seen_sm const> others);

    [[nodiscard]] sm_info describe() override;
    [[nodiscard]] std::uint16_t on_control(sm_control what, sm_info const& from, destination const& back) override;
    void device_is_lost() override { restart(); }
    void device_is_back() override { restart(); }
    void port_is_closed() override { close(); }

    [[nodiscard]] engine::sm_machine& machine() noexcept { return machine_; }
    [[nodiscard]] smp_client const& client() const noexcept { return client_; }
    [[nodiscard]] asio::any_io_executor const& loop() const noexcept { return on_.executor(); }

private:
    [[nodiscard]] engine::sm_peer place(sm_info const& info, destination const& where);
    void carry_out(engine::sm_step const& step);
    void begin(engine::sm_step const& step, std::optional<destination> const& to);
    void ask(engine::sm_step const& step, destination const& whom);
    void remind();
    void on_outcome(std::uint32_t ticket, error_code code, sm_info const& answer);
    void say_if_foreign(sm_info const& other, destination const& where);

    port on_; // before what lives by its time
    smp_client client_;
    engine::sm_machine machine_;
    mailbox<sm_duty> duties_;
    sm_duty last_duty_ = sm_duty::none;
    bool has_news_ = false;                       // what waits is more than the duty before, said again
    std::map<std::uint32_t, destination> places_; // of whom the machine knows
    std::uint32_t last_place_ = 0;
    sm_state told_ = sm_state::not_active; // in the log
    engine::rate_limit foreign_{1, 5};     // lines a second
    std::unique_ptr<alarm> alarm_;
    bool closed_ = false;
};

} // namespace madrigal::detail
