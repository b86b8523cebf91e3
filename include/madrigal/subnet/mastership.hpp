// Being one of several subnet managers: who is the master, told to a daemon step by step.
#pragma once

#include <madrigal/engine/sm_machine.hpp>
#include <madrigal/error.hpp>
#include <madrigal/fabric/detail/sa_waiter.hpp>
#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/runtime/as_result.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/subnet/find_managers.hpp>
#include <madrigal/subnet/smp_server.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace madrigal {

/// What a daemon is to do with the subnet.
using sm_duty = engine::sm_duty;

namespace detail {
class mastership_core;
[[nodiscard]] asio::any_io_executor const& loop_of(mastership_core const& of) noexcept;
void receive_duty(
    std::shared_ptr<mastership_core> const& from, sa_waiter_ptr<sm_duty> waiter, asio::cancellation_slot slot);
} // namespace detail

/// Who it is, and how patient.
struct mastership_options {
    mastership_options() {} // NOLINT: no aggregate, so that GCC 12 does not destroy one in braces twice in a `co_await`

    std::uint8_t priority = 0; ///< 0 to 15, of which 15 is the highest
    std::uint64_t sm_key = 0;  ///< host byte order; 0: it trusts everybody. OpenSM's is 1 unless it is told otherwise
    engine::sm_options pace{};
    smp_options questions{}; ///< to other subnet managers; all transmissions of one within `pace.handover_interval`
};

/// Ties SMInfo's state machine (engine/sm_machine.hpp, where its rules stand) to a server, a clock and a client: it
/// answers SMInfo, watches the master, hands over and takes over, and says what is to be done with the subnet.
///
///     auto server = smp_server::open(port).value();
///     auto claim = co_await port.async_become_sm(10s, as_result); // others ask whom they see the bit IsSM of
///     auto mastership = mastership::open(port, server, options).value();
///     while (auto const duty = co_await mastership.next()) {
///         if (duty.value() != sm_duty::discover && duty.value() != sm_duty::configure)
///             continue; // somebody else is the master: wait
///         auto const swept = co_await discover(port);
///         if (!swept)
///             continue; // while it looks it is told again; a master sees to that itself
///         mastership.on_sweep(co_await find_managers(client, swept.value(), mastership.info()));
///         if (duty.value() == sm_duty::configure && mastership.state() == sm_state::master && !mastership.waits())
///             co_await configure(swept.value());
///     }
///
/// A master hears the others before it configures: of two subnets that have been joined one half is another master's,
/// and is not to be changed while one waits for the other, as `waits` tells. That has an end: a master that never hands
/// over is waited for no longer than `pace.merge_limit`, and one that does not take over than `pace.handover_limit`.
/// Who has seen another master (`counters().masters_seen`) no longer knows what is written in the switches.
///
/// As a master the daemon sweeps again whenever it has cause, and reports each sweep. Move-only, for the loop's thread;
/// closed when it is destroyed.
class mastership {
public:
    mastership() noexcept = default;
    explicit mastership(std::shared_ptr<detail::mastership_core> core) noexcept : core_{std::move(core)} {}
    mastership(mastership&&) noexcept = default;
    mastership& operator=(mastership&& other) noexcept
    {
        if (this != &other) {
            close();
            core_ = std::move(other.core_);
        }
        return *this;
    }
    ~mastership() { close(); }

    /// Begins: the first duty is to discover. The server answers SMInfo with this from now on; it may end sooner or
    /// later. Errors: those of `smp_client::open`.
    [[nodiscard]] static result<mastership> open(
        port const& on, smp_server const& server, mastership_options const& options = mastership_options{});

    [[nodiscard]] explicit operator bool() const noexcept { return core_ != nullptr; }

    /// Looks around anew, whatever it has been: the next duty is to discover. For a daemon that has been away, and by
    /// itself when the server finds the device lost, and once it listens again.
    void restart() const;

    /// The next duty. Only the newest one waits to be taken: what it replaces need not be done any more.
    ///
    /// @par Completion signature
    /// `void(error_code, sm_duty)`; with `as_result` a `result<sm_duty>`.
    /// @par Completion condition
    /// There is another duty than before, or to discover still is, or one of the errors has happened. Never before this
    /// function has returned.
    /// @par Errors
    /// errc::agent_closed (also of the port), operation_aborted. A lost device is none: others will take over. The duty
    /// then is to discover, whatever it was before, which cannot be done and so tells the daemon; and again once the
    /// device is back.
    /// @par Cancellation
    /// Every type: no duty is lost.
    /// @par Thread safety
    /// The loop's thread, or while the loop does not run.
    template <asio::completion_token_for<void(error_code, sm_duty)> Token>
    auto async_next(Token&& token) const
    {
        return detail::initiate_sa<sm_duty, detail::sa_waits_for<sm_duty>>(detail::loop_of(*core_),
            std::forward<Token>(token),
            [core = core_](auto waiter, auto slot) { detail::receive_duty(core, std::move(waiter), slot); });
    }
    /// The same for `co_await`: a `result<sm_duty>`.
    [[nodiscard]] auto next() const { return async_next(as_result); }
    /// Whether another duty than the last waits to be taken: a daemon that is busy with that may break it off.
    [[nodiscard]] bool has_next() const noexcept;

    /// A sweep is over that has seen these other subnet managers; itself among them is ignored. Silent ones put off
    /// that this becomes the master, for a few sweeps.
    void on_sweep(std::span<seen_sm const> others) const;
    /// Asks a subnet manager for its SMInfo, as a sweep does at every port with the bit IsSM. Errors: as of
    /// `smp_client::get`.
    [[nodiscard]] asio::awaitable<result<sm_info>> ask(destination whom) const;

    [[nodiscard]] sm_state state() const noexcept;
    /// What it says of itself, its SM_Key included.
    [[nodiscard]] sm_info info() const noexcept;
    /// Who is stood by, waited for, or handed over to.
    [[nodiscard]] std::optional<sm_info> watched() const noexcept;
    /// As a master: another one, or one before this, is to be heard first; what has been found is not to be changed.
    [[nodiscard]] bool waits() const noexcept;
    /// Counts from the next comparison on.
    void set_priority(std::uint8_t priority) const noexcept;
    /// The daemon has done something for the subnet: ActCount moves on, for others that look at it.
    void count_activity() const noexcept;
    [[nodiscard]] engine::sm_counters const& counters() const noexcept;
    /// The keys of ports where other subnet managers are.
    [[nodiscard]] m_key_table& keys() const noexcept;

    /// Ends at once, without a word to others: who asks is told NotActive, and no more once this is destroyed or the
    /// server closed, so that a standby takes over. Who waits here is told errc::agent_closed. May be repeated.
    void close() noexcept;

private:
    std::shared_ptr<detail::mastership_core> core_;
};

} // namespace madrigal
