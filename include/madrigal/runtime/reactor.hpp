// Ties ports to an event loop, which may be somebody else's.
#pragma once

#include <madrigal/runtime/options.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/umad/host.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <concepts>
#include <memory>
#include <string>
#include <utility>

namespace madrigal {

/// Opens ports on an event loop. One thread at a time runs the executor: an io_context that one thread runs, or a
/// strand. The host must outlive the reactor and its ports. The reactor itself may go before them.
///
/// Nothing blocks the loop. The one call of the kernel that may wait is a write on a port whose link layer is Ethernet
/// (RoCE), which resolves the destination GID, for a second or more where nobody has it. There each agent has a umad
/// file of its own and, from the first write that may wait, a thread that makes such writes and does nothing else: no
/// handler runs on it, and it blocks all signals. It posts to the executor, which must allow that from other threads
/// (not an io_context made with BOOST_ASIO_CONCURRENCY_HINT_UNSAFE). Writes under way keep the loop running. When an
/// agent is closed or the loop destroyed during one, that is not waited for: the thread closes the file and ends as
/// soon as the kernel lets it. On InfiniBand a port is one file (two on split adapters), and there are no threads.
class reactor {
public:
    /// On an io_context that is run by one thread.
    reactor(asio::io_context& loop, umad::host& host, reactor_options const& options = {})
        : reactor{loop.get_executor(), host, options}
    {}
    /// On an executor that runs one function at a time: a strand, or that of an io_context run by one thread.
    template <class Executor>
    requires requires(Executor const& executor)
    {
        {
            executor.running_in_this_thread()
            } -> std::convertible_to<bool>;
    }
    reactor(Executor executor, umad::host& host, reactor_options const& options = {})
        : reactor{asio::any_io_executor{std::move(executor)},
              [](asio::any_io_executor const& any) noexcept {
                  return any.target<Executor>()->running_in_this_thread();
              },
              host, options}
    {}

    /// Opens a port; `{}` is the default one (umad_get_port(3)). Errors: those of umad::open_port. For the loop's
    /// thread, or while the loop does not run.
    ///
    ///     asio::io_context loop;
    ///     auto const host = open_host(default_host_uri()).value(); // linux or sim:FILE
    ///     reactor on_loop{loop, *host};
    ///     auto port = on_loop.open({.ca = "mlx5_0", .port = 1});
    ///     if (!port)
    ///         spdlog::error("{}", port.error().message()); // which device, and what to do
    [[nodiscard]] result<port> open(umad::port_selector const& wanted = {}) const;

    /// Waits, at most `within`, until a port that fits can be opened, and opens it. For a device whose driver or node
    /// comes late.
    ///
    /// @par Completion signature
    /// `void(error_code, port)`; with `as_result` a `result<port>`.
    /// @par Completion condition
    /// The port is open, or one of the errors has happened. It is looked for at intervals of 10 ms, growing to 250 ms.
    /// Never before this function has returned.
    /// @par Errors
    /// errc::timeout; operation_aborted; of the errors of `open` those that will not pass by waiting.
    /// @par Cancellation
    /// Every type; nothing is open then.
    /// @par Thread safety
    /// The loop's thread, or while the loop does not run.
    template <asio::completion_token_for<void(error_code, port)> Token>
    auto async_wait_for_port(umad::port_selector const& wanted, std::chrono::milliseconds within, Token&& token) const
    {
        return asio::async_initiate<Token, void(error_code, port)>(
            [core = core_, ca = std::string{wanted.ca}, number = wanted.port, within]<class Handler>(
                Handler&& handler) {
                auto opened = std::make_shared<port>();
                auto const slot = asio::get_associated_cancellation_slot(handler);
                auto const executor = asio::get_associated_executor(handler, core->executor());
                detail::async_retry(
                    core, within,
                    [core, ca, number, opened]() -> result<void> {
                        BOOST_OUTCOME_TRY(*opened, open_on(core, {.ca = ca, .port = number}));
                        return outcome::success();
                    },
                    asio::bind_cancellation_slot(
                        slot, asio::bind_executor(executor,
                                  [opened, handler = std::forward<Handler>(handler)](
                                      error_code code) mutable { std::move(handler)(code, std::move(*opened)); })));
            },
            token);
    }

private:
    reactor(asio::any_io_executor executor, detail::reactor_core::on_loop_test test, umad::host& host,
        reactor_options const& options);
    static result<port> open_on(std::shared_ptr<detail::reactor_core> const& core, umad::port_selector const& wanted);

    std::shared_ptr<detail::reactor_core> core_;
};

} // namespace madrigal
