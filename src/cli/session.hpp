// A port that is open on an event loop, and a way to run one coroutine on it to its end.
#pragma once

#include "cli/options.hpp"

#include <madrigal/capture/pcap_file.hpp>
#include <madrigal/error.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/runtime/reactor.hpp>
#include <madrigal/umad/host.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace madrigal::cli {

class session {
public:
    /// The host and the port that the command line names, or the default ones; with the capture that it asks for.
    [[nodiscard]] static result<std::unique_ptr<session>> open(host_arguments const& wanted);

    [[nodiscard]] port const& on() const noexcept { return port_; }
    [[nodiscard]] asio::io_context& loop() noexcept { return loop_; }

    /// Runs `work` until it has ended. The first SIGINT or SIGTERM cancels it; the second has its usual effect.
    template <class T>
    [[nodiscard]] result<T> run(asio::awaitable<result<T>> work)
    {
        std::optional<result<T>> outcome;
        asio::cancellation_signal cancel;
        asio::signal_set signals{loop_, SIGINT, SIGTERM};
        signals.async_wait([&](error_code failed, int) {
            if (failed)
                return;
            signals.clear();
            interrupted_ = true;
            cancel.emit(asio::cancellation_type::terminal);
        });
        std::exception_ptr thrown;
        asio::co_spawn(loop_, keep(std::move(work), outcome),
            asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr exception) {
                thrown = std::move(exception);
                // The port goes on waiting for packets.
                loop_.stop();
            }));
        announce();
        loop_.restart();
        loop_.run();
        if (thrown)
            std::rethrow_exception(thrown);
        return std::move(*outcome);
    }

    /// True once a signal has ended a run.
    [[nodiscard]] bool interrupted() const noexcept { return interrupted_; }

    /// The end of the command, which so far comes to `exit_code`: closes the capture. What is wrong with that is said,
    /// and a success becomes a failure.
    [[nodiscard]] int conclude(int exit_code);

private:
    /// Says through which port the work goes, where the user wants to know.
    void announce() const;
    explicit session(std::shared_ptr<umad::host> host) : host_{std::move(host)} {}

    template <class T>
    static asio::awaitable<void> keep(asio::awaitable<result<T>> work, std::optional<result<T>>& outcome)
    {
        outcome.emplace(co_await std::move(work));
    }

    std::shared_ptr<umad::host> host_;
    asio::io_context loop_{1};
    port port_;
    std::optional<pcap_file> capture_;
    bool interrupted_ = false;
};

} // namespace madrigal::cli
