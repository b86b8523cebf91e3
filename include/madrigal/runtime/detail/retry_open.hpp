// Trying again until a device is there.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/error.hpp>
#include <madrigal/runtime/detail/operation.hpp>
#include <madrigal/runtime/detail/reactor_core.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace madrigal::detail {

/// True for the errors of a device that is not there yet, or not yet accessible: udev creates a node and gives it its
/// permissions one after the other.
[[nodiscard]] bool may_come_later(error const& why) noexcept;

/// How long it is worth to wait for an error to pass.
enum class patience : std::uint8_t {
    none,
    brief, ///< 2 s: udev may still be at work; after that it is what it seems to be
    full,  ///< as long as the caller wants to
};
using worth_waiting = patience (*)(error const& why) noexcept;

/// What may come later, for as long as the caller wants to.
[[nodiscard]] patience for_a_device(error const& why) noexcept;
/// For a claim: full where somebody else has it now, or the device is away; brief where the port has none, or not for
/// this program.
[[nodiscard]] patience for_a_claim(error const& why) noexcept;

/// Attempts at growing intervals, 10 ms to 250 ms, until one succeeds, fails for good, or the time is up. For the
/// loop's thread.
class retry_loop : public std::enable_shared_from_this<retry_loop> {
public:
    /// `attempt` returns success, or why not.
    retry_loop(std::shared_ptr<reactor_core> reactor, std::chrono::milliseconds within,
        std::function<result<void>()> attempt, std::function<void(error_code)> done,
        worth_waiting waits_for = for_a_device);

    /// Makes the first attempt; `done` is not called before this has returned.
    void start();
    void cancel();
    /// The loop is being destroyed: forgets everything, and completes nothing.
    void abandon() noexcept;

private:
    void attempt();
    void finish(error_code code);

    std::shared_ptr<reactor_core> reactor_;
    time_point deadline_;
    std::optional<time_point> brief_until_; // while what it is refused by is worth no more
    duration interval_ = std::chrono::milliseconds{10};
    std::function<result<void>()> attempt_;
    std::function<void(error_code)> done_;
    worth_waiting waits_for_;
    std::unique_ptr<alarm> alarm_;
    std::shared_ptr<retry_loop> alive_; // while an alarm is armed
};

/// Runs `attempt` until it succeeds, for a handler that `finish(bound handler, code)` calls.
template <class Handler, class Finish>
void start_retry(std::shared_ptr<reactor_core> const& reactor, std::chrono::milliseconds within,
    std::function<result<void>()> attempt, worth_waiting waits_for, Handler&& handler, Finish finish)
{
    auto slot = asio::get_associated_cancellation_slot(handler);
    // Shared, because std::function must be copyable and handlers are not.
    auto bound =
        std::make_shared<bound_handler<std::decay_t<Handler>>>(std::forward<Handler>(handler), reactor->executor());
    auto loop = std::make_shared<retry_loop>(
        reactor, within, std::move(attempt),
        [bound = std::move(bound), finish = std::move(finish)](error_code code) { finish(*bound, code); }, waits_for);
    if (slot.is_connected())
        slot.assign([loop](asio::cancellation_type) { loop->cancel(); });
    loop->start();
}

/// Runs `attempt` until it succeeds. Completion signature: `void(error_code)`.
template <class Token>
auto async_retry(std::shared_ptr<reactor_core> reactor, std::chrono::milliseconds within,
    std::function<result<void>()> attempt, Token&& token)
{
    return asio::async_initiate<Token, void(error_code)>(
        [reactor = std::move(reactor), within, attempt = std::move(attempt)]<class Handler>(Handler&& handler) {
            start_retry(reactor, within, attempt, for_a_device, std::forward<Handler>(handler),
                [](auto& bound, error_code code) { bound(code); });
        },
        token);
}

} // namespace madrigal::detail
