// Membership of a multicast group.
#pragma once

#include <madrigal/fabric/detail/sa_waiter.hpp>
#include <madrigal/wire/attributes/mc_member_record.hpp>

#include <boost/asio/async_result.hpp>

#include <memory>
#include <utility>

namespace madrigal {

namespace detail {
class sa_joined;
[[nodiscard]] asio::any_io_executor const& sa_loop(sa_joined const& of) noexcept;
void sa_leave(std::shared_ptr<sa_joined> const& what, sa_waiter_ptr<sa_nothing> waiter);
} // namespace detail

/// A membership that holds; made by `sa_client::async_join`, renewed until it is left. Left in the background when it
/// is destroyed, within `sa_farewell_limit`, if the loop goes on running so long. Move-only, for the loop's thread. It
/// keeps its client's agents alive.
class sa_membership {
public:
    sa_membership() noexcept = default;
    explicit sa_membership(std::shared_ptr<detail::sa_joined> state) noexcept : state_{std::move(state)} {}
    sa_membership(sa_membership&&) noexcept = default;
    sa_membership& operator=(sa_membership&& other) noexcept
    {
        if (this != &other) {
            leave();
            state_ = std::move(other.state_);
        }
        return *this;
    }
    ~sa_membership() { leave(); }

    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }

    /// The group and the membership as subnet administration has last given them: MLID, Q_Key, MTU … A renewal may
    /// change them.
    [[nodiscard]] mc_member_record const& record() const noexcept;
    /// True if subnet administration is known to hold the membership: it has not been renewed in vain since.
    [[nodiscard]] bool current() const noexcept;

    /// Leaves the group.
    ///
    /// @par Completion signature
    /// `void(error_code)`; with `as_result` a `result<void>`.
    /// @par Completion condition
    /// Subnet administration has said that the port is no member any more, or one of the errors has happened; after
    /// `sa_farewell_limit` at the latest. Never before this function has returned.
    /// @par Errors
    /// errc::timeout where subnet administration is silent; otherwise those of `sa_client::async_request`. The
    /// membership is not renewed any more in any case.
    /// @par Cancellation
    /// None: it never waits for longer.
    /// @par Thread safety
    /// The loop's thread, or while the loop does not run. The object is empty after this call; what a lazy token
    /// returned leaves the group in the background if it is destroyed instead of awaited.
    template <asio::completion_token_for<void(error_code)> Token>
    auto async_leave(Token&& token)
    {
        auto const loop = detail::sa_loop(*state_);
        return detail::initiate_sa<detail::sa_nothing, detail::sa_waits_for<detail::sa_nothing>>(
            loop, std::forward<Token>(token), [self = std::move(*this)](auto waiter, auto) mutable {
                detail::sa_leave(std::exchange(self.state_, nullptr), std::move(waiter));
            });
    }

private:
    void leave() noexcept;

    std::shared_ptr<detail::sa_joined> state_;
};

} // namespace madrigal
