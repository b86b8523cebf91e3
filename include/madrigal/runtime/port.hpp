// An opened port.
#pragma once

#include <madrigal/runtime/agent.hpp>
#include <madrigal/runtime/detail/port_core.hpp>
#include <madrigal/runtime/detail/retry_open.hpp>
#include <madrigal/umad/registration.hpp>

#include <boost/asio/async_result.hpp>

#include <chrono>
#include <memory>

namespace madrigal {

/// An opened port. Copies share it; it closes with the last of them and of its agents. For the loop's thread, or while
/// the loop does not run.
class port {
public:
    port() noexcept = default;
    explicit port(std::shared_ptr<detail::port_core> core) noexcept : core_{std::move(core)} {}

    [[nodiscard]] explicit operator bool() const noexcept { return core_ != nullptr; }

    /// Registers an agent. On adapters with separate devices for SMPs and GMPs the class decides which is used. Errors:
    /// those of umad::register_agent, with class, version, QP and device in the message.
    [[nodiscard]] result<agent> register_agent(
        umad::registration const& wanted, agent_options const& options = {}) const;

    /// What sysfs said of the port when it was opened.
    [[nodiscard]] umad::port_attributes const& attributes() const noexcept { return core_->attributes(); }
    /// What the host says of it now.
    [[nodiscard]] result<umad::port_attributes> query() const;
    /// True once the device has been found gone, until `async_reopen` has succeeded.
    [[nodiscard]] bool gone() const noexcept { return core_->gone(); }
    [[nodiscard]] port_counters counters() const noexcept { return core_->counters(); }

    /// Waits until the lost device is back, at most `within`, opens it under its new number and registers the same
    /// agents again; they are usable as before. At once where nothing was lost.
    ///
    /// Completion signature: `void(error_code)`. Errors: errc::timeout, operation_aborted, errc::registration_refused.
    template <asio::completion_token_for<void(error_code)> Token>
    auto async_reopen(std::chrono::milliseconds within, Token&& token) const
    {
        return detail::async_retry(
            core_->shared_reactor(), within, [core = core_] { return core->reopen(); }, std::forward<Token>(token));
    }

    /// Closes all agents of the port; each ends its operations with errc::agent_closed.
    void close() const;

private:
    std::shared_ptr<detail::port_core> core_;
};

} // namespace madrigal
