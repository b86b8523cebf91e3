// An opened port.
#pragma once

#include <madrigal/runtime/agent.hpp>
#include <madrigal/runtime/detail/port_core.hpp>
#include <madrigal/runtime/detail/retry_open.hpp>
#include <madrigal/runtime/sm_claim.hpp>
#include <madrigal/umad/registration.hpp>

#include <boost/asio/async_result.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace madrigal {

/// An opened port. Copies share it; it closes with the last of them and of its agents. For the loop's thread, or while
/// the loop does not run.
class port {
public:
    port() noexcept = default;
    explicit port(std::shared_ptr<detail::port_core> core) noexcept : core_{std::move(core)} {}

    [[nodiscard]] explicit operator bool() const noexcept { return core_ != nullptr; }

    /// Registers an agent. On adapters with separate devices for SMPs and GMPs the class decides which is used. Errors:
    /// those of umad::register_agent, with class, version, QP and device in the message. On Ethernet (RoCE) each agent
    /// gets a umad file of its own, so opening it may fail too: errors of umad::open_port; errc::device_gone between a
    /// loss and `async_reopen`. There a closed agent's methods may stay taken, in the kernel, until a write that was
    /// under way at its close has come back.
    [[nodiscard]] result<agent> register_agent(
        umad::registration const& wanted, agent_options const& options = {}) const;

    /// What sysfs said of the port when it was opened.
    [[nodiscard]] umad::port_attributes const& attributes() const noexcept { return core_->attributes(); }
    /// What the host says of it now.
    [[nodiscard]] result<umad::port_attributes> query() const;
    /// Of it only what a subnet manager may change at any time: its LID and service level, the port's own LID, GID
    /// and state. On Linux five short files are read.
    [[nodiscard]] result<umad::subnet_attributes> query_subnet() const;
    /// True once the device has been found gone, by any agent, until `async_reopen` has succeeded.
    [[nodiscard]] bool gone() const noexcept { return core_->gone(); }
    /// The time that its reactor lives by: the machine's steady clock unless `reactor_options` say otherwise. Not for
    /// longer than the port or a copy of it.
    [[nodiscard]] time_source& time() const noexcept { return core_->reactor().time(); }
    /// The loop on which it lives, for what is built on ports.
    [[nodiscard]] asio::any_io_executor const& executor() const noexcept { return core_->reactor().executor(); }
    /// Over all agents.
    [[nodiscard]] port_io_counters counters() const noexcept { return core_->counters(); }

    /// Waits until the lost device is back, at most `within`, opens it under its new number and registers the same
    /// agents again; they are usable as before. At once where nothing was lost.
    ///
    /// @par Completion signature
    /// `void(error_code)`; with `as_result` a `result<void>`.
    /// @par Completion condition
    /// A port with the same GUID is open and all agents that have not been closed are registered on it, or one of the
    /// errors has happened. It is looked for at intervals of 10 ms, growing to 250 ms. Never before this function has
    /// returned.
    /// @par Errors
    /// errc::timeout; operation_aborted; what will not pass by waiting, as errc::registration_refused, an agent's
    /// registration being refused on the new device.
    /// @par Cancellation
    /// Every type. The port is then as lost as before, and this may be called again.
    /// @par Thread safety
    /// The loop's thread, or while the loop does not run.
    template <asio::completion_token_for<void(error_code)> Token>
    auto async_reopen(std::chrono::milliseconds within, Token&& token) const
    {
        return detail::async_retry(
            core_->shared_reactor(), within, [core = core_] { return core->reopen(); }, std::forward<Token>(token));
    }

    /// Becomes the port's subnet manager as far as the kernel is concerned: IsSM stands in its capability mask until
    /// the claim is let go of. At once: EAGAIN (or EBUSY) where somebody else is it, ENOENT where the port has no
    /// subnet management (Ethernet), errc::device_gone, and those of umad::host::open_issm.
    [[nodiscard]] result<sm_claim> become_sm() const { return core_->claim_sm(); }

    /// The same, waiting for whoever is it to let go, or for the device to be there; at most `within`.
    ///
    /// @par Completion signature
    /// `void(error_code, sm_claim)`; with `as_result` a `result<sm_claim>`.
    /// @par Completion condition
    /// The claim is held, or one of the errors has happened. The kernel tells nobody when it is let go of, so it is
    /// asked for at intervals of 10 ms, growing to 250 ms: of several who wait any may be next. Never before this
    /// function has returned.
    /// @par Errors
    /// errc::timeout; operation_aborted; what will not pass by waiting. ENOENT (a port without subnet management),
    /// EACCES and EPERM are waited for 2 s at most, in which udev may make the file and let this program at it.
    /// @par Cancellation
    /// Every type: nothing is held then.
    /// @par Thread safety
    /// The loop's thread, or while the loop does not run.
    template <asio::completion_token_for<void(error_code, sm_claim)> Token>
    auto async_become_sm(std::chrono::milliseconds within, Token&& token) const
    {
        return asio::async_initiate<Token, void(error_code, sm_claim)>(
            [core = core_, within]<class Handler>(Handler&& handler) {
                auto const won = std::make_shared<sm_claim>();
                detail::start_retry(
                    core->shared_reactor(), within,
                    [core, won]() -> result<void> {
                        BOOST_OUTCOME_TRY(*won, core->claim_sm());
                        return outcome::success();
                    },
                    detail::for_a_claim, std::forward<Handler>(handler),
                    [won](auto& bound, error_code code) { bound(code, std::move(*won)); });
            },
            token);
    }

    /// Shows every packet of every agent to `sink` from now on, instead of to an earlier one; to nobody where it is
    /// empty. Several ports may have sinks that share something, such as those of one `pcap_file`.
    ///
    /// A packet that is sent is shown once the kernel has taken it, one that arrives before anybody else sees it, also
    /// if no agent wants it. Of a message that the kernel takes apart or puts together its first MAD is shown; an
    /// agent's own transfers are seen segment by segment. Not shown is what was never on a wire: refused writes and the
    /// kernel's reports of timeouts. On Ethernet the time of a write that had to wait is that of its end. Without a
    /// sink this costs a comparison for each packet.
    void tap(packet_sink sink) const { core_->show_to(std::move(sink)); }

    /// Closes all agents of the port; each ends its operations with errc::agent_closed, when the loop runs next.
    void close() const;

private:
    std::shared_ptr<detail::port_core> core_;
};

} // namespace madrigal
