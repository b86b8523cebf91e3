// A subscription to the notices that subnet administration forwards: its reports.
#pragma once

#include <madrigal/fabric/detail/sa_waiter.hpp>
#include <madrigal/wire/attributes/inform_info.hpp>
#include <madrigal/wire/attributes/notice_report.hpp>

#include <boost/asio/async_result.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace madrigal {

namespace detail {
class sa_subscribed;
[[nodiscard]] asio::any_io_executor const& sa_loop(sa_subscribed const& of) noexcept;
void sa_receive_report(
    std::shared_ptr<sa_subscribed> const& from, sa_waiter_ptr<notice_report> waiter, asio::cancellation_slot slot);
void sa_unsubscribe(std::shared_ptr<sa_subscribed> const& what, sa_waiter_ptr<sa_nothing> waiter);
} // namespace detail

/// What to subscribe to for one of the IBA's traps (`trap_number::gid_in_service` …), or for all of them
/// (`all_notices`): of all types, all producers and all LIDs.
[[nodiscard]] constexpr inform_info inform_about(std::uint16_t trap) noexcept
{
    inform_info wanted;
    wanted.lid_range_begin = all_lids;
    wanted.is_generic = 1;
    wanted.subscribe = 1;
    wanted.type = all_notices;
    wanted.trap_number = trap;
    wanted.producer_type = all_producers;
    return wanted;
}

/// Whether a subscription is told of a notice (IBA 13.4.8.3).
[[nodiscard]] bool is_informed(inform_info const& subscription, notice_report const& of) noexcept;

/// A subscription that holds; made by `sa_client::async_subscribe`, renewed until it is closed. Ends in the background
/// when it is destroyed, within `sa_farewell_limit`, if the loop goes on running so long. Move-only, for the loop's
/// thread. It keeps its client's agents alive.
class sa_subscription {
public:
    sa_subscription() noexcept = default;
    explicit sa_subscription(std::shared_ptr<detail::sa_subscribed> state) noexcept : state_{std::move(state)} {}
    sa_subscription(sa_subscription&&) noexcept = default;
    sa_subscription& operator=(sa_subscription&& other) noexcept
    {
        if (this != &other) {
            leave();
            state_ = std::move(other.state_);
        }
        return *this;
    }
    ~sa_subscription() { leave(); }

    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }

    /// The next report. It has been answered already.
    ///
    ///     for (;;) {
    ///         auto const told = co_await subscription.async_receive(as_result);
    ///         if (!told)
    ///             break;
    ///         spdlog::info("{}", trap_name(told.value().trap_number));
    ///     }
    ///
    /// @par Completion signature
    /// `void(error_code, notice_report)`; with `as_result` a `result<notice_report>`.
    /// @par Completion condition
    /// A report that fits the subscription has come, or one of the errors has happened. Reports wait here until they
    /// are taken, `sa_options::report_limit` of them. A client with two subscriptions that fit the same notice is told
    /// twice by subnet administration, and each time both get it. Never before this function has returned.
    /// @par Errors
    /// errc::agent_closed: the subscription or its client was closed. operation_aborted. A lost device is no error:
    /// reports go on once the port has been opened again.
    /// @par Cancellation
    /// Every type.
    /// @par Thread safety
    /// The loop's thread, or while the loop does not run.
    template <asio::completion_token_for<void(error_code, notice_report)> Token>
    auto async_receive(Token&& token) const
    {
        return detail::initiate_sa<notice_report, detail::sa_waits_for<notice_report>>(detail::sa_loop(*state_),
            std::forward<Token>(token),
            [state = state_](auto waiter, auto slot) { detail::sa_receive_report(state, std::move(waiter), slot); });
    }

    /// Ends the subscription, here at once, and there.
    ///
    /// @par Completion signature
    /// `void(error_code)`; with `as_result` a `result<void>`.
    /// @par Completion condition
    /// Subnet administration has said that it has ended it, or one of the errors has happened; after
    /// `sa_farewell_limit` at the latest. Never before this function has returned.
    /// @par Errors
    /// errc::timeout where subnet administration is silent; otherwise those of `sa_client::async_request`. The
    /// subscription has ended here in any case.
    /// @par Cancellation
    /// None: it never waits for longer.
    /// @par Thread safety
    /// The loop's thread, or while the loop does not run. The object is empty after this call; what a lazy token
    /// returned ends the subscription in the background if it is destroyed instead of awaited.
    template <asio::completion_token_for<void(error_code)> Token>
    auto async_close(Token&& token)
    {
        auto const loop = detail::sa_loop(*state_);
        return detail::initiate_sa<detail::sa_nothing, detail::sa_waits_for<detail::sa_nothing>>(
            loop, std::forward<Token>(token), [self = std::move(*this)](auto waiter, auto) mutable {
                detail::sa_unsubscribe(std::exchange(self.state_, nullptr), std::move(waiter));
            });
    }

    /// Reports that came while too many were waiting.
    [[nodiscard]] std::uint64_t dropped() const noexcept;
    /// True if subnet administration is known to hold the subscription: it has not been renewed in vain since.
    [[nodiscard]] bool current() const noexcept;

private:
    void leave() noexcept;

    std::shared_ptr<detail::sa_subscribed> state_;
};

} // namespace madrigal
