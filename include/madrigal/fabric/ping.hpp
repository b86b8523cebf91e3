// Pings: is a machine there, does it answer MADs, and how fast; and the server that answers them.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/error.hpp>
#include <madrigal/runtime/agent.hpp>
#include <madrigal/runtime/destination.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/wire/ping.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace madrigal {

/// How to ping.
struct ping_options {
    ping_options() {} // NOLINT: no aggregate, so that GCC 12 does not destroy one in braces twice inside a `co_await`

    std::chrono::milliseconds timeout{1000}; ///< of each ping; none is sent again, as that would falsify its time
    std::uint32_t oui = ping_oui;            ///< host byte order, 24 bits, not 0
};

/// Who answered, and how fast.
struct ping_answer {
    std::string name;          ///< as the server gave it, made printable; may be empty
    lid source;                ///< LID the answer came from; 0 on Ethernet
    std::optional<gid> global; ///< GID it came from, where it came with a GRH
    duration round_trip{};     ///< from before the write to after the read, by the reactor's time
};

/// An agent that pings. Copies share it; it closes with the last of them. For the loop's thread.
class ping_client {
public:
    /// Registers an agent on a port. Errors: those of `port::register_agent`.
    [[nodiscard]] static result<ping_client> open(port const& on, ping_options const& options = ping_options{});

    /// Pings once.
    ///
    ///     auto const answer = co_await client.ping(lid{12});
    ///     if (answer)
    ///         spdlog::info("{} in {}", answer.value().name, answer.value().round_trip);
    ///
    /// Errors: errc::timeout; a MAD status, which is what a machine without a server answers (`nobody_serves_pings`);
    /// errc::malformed_answer for what is no answer to a ping of this OUI; the others of `agent::async_request`.
    /// Cancellation: as that one's; every type that the coroutine lets through ends the waiting. This client, or a copy
    /// of it, must live until then.
    [[nodiscard]] asio::awaitable<result<ping_answer>> ping(destination to) const;

    [[nodiscard]] ping_options const& options() const noexcept { return state_->options; }
    /// The clock by which round trips are taken: the reactor's.
    [[nodiscard]] time_source& time() const noexcept { return state_->on.time(); }
    /// The agent that asks.
    [[nodiscard]] agent const& over() const noexcept { return state_->over; }

private:
    struct state {
        port on;
        agent over;
        ping_options options;
    };

    explicit ping_client(std::shared_ptr<state> made) noexcept : state_{std::move(made)} {}

    std::shared_ptr<state> state_;
};

/// True for the answer of a machine that is there and serves no pings: its kernel refuses what no agent is registered
/// for with status 0x000C (Linux drivers/infiniband/core/mad.c).
[[nodiscard]] bool nobody_serves_pings(error_code code) noexcept;

/// What one ping of a series came to.
struct ping_outcome {
    std::uint64_t sequence = 0; ///< from 1 on
    result<ping_answer> answer{ping_answer{}};
};

/// What a series of pings came to.
struct ping_statistics {
    std::uint64_t sent = 0;     ///< that ended: one that was given up when the series was cancelled does not count
    std::uint64_t received = 0; ///< good answers
    duration minimum{};         ///< these three are 0 where nothing was received
    duration maximum{};
    duration total{}; ///< sum of the round trips
    error ended;      ///< why the series stopped before its count: operation_aborted, errc::device_gone, …; else none

    [[nodiscard]] duration average() const noexcept
    {
        return received == 0 ? duration{} : total / static_cast<duration::rep>(received);
    }
    /// Percent of the pings that had no good answer; 0 where none was sent.
    [[nodiscard]] double loss() const noexcept
    {
        return sent == 0 ? 0 : 100 * static_cast<double>(sent - received) / static_cast<double>(sent);
    }
};

/// What a series is.
struct ping_series_options {
    ping_series_options() {} // NOLINT: no aggregate, as above

    std::optional<std::uint64_t> count;       ///< without it, until the series is cancelled
    std::chrono::milliseconds interval{1000}; ///< from one ping to the next, if that has ended; 0: at once
    /// Called from the loop for each ping that has ended; false ends the series.
    std::function<bool(ping_outcome const&)> on_outcome;
};

/// Pings again and again. Timeouts, refusals and malformed answers count as lost; any other error, such as
/// errc::device_gone or the kernel's refusal of a write, ends the series.
///
/// Cancellation: every type that the coroutine lets through (Asio's default is `terminal`); the series ends at once,
/// with what it came to until then.
[[nodiscard]] asio::awaitable<ping_statistics> ping_series(
    ping_client with, destination to, ping_series_options options = ping_series_options{});

/// How to serve pings.
struct ping_server_options {
    ping_server_options() {} // NOLINT: no aggregate, as above

    /// What answers carry: 215 bytes at most, the rest is cut.
    std::string name;
    std::uint32_t oui = ping_oui;       ///< host byte order, 24 bits, not 0
    std::optional<std::uint64_t> count; ///< ends after so many answers; without it, when it is cancelled
};

/// Answers pings, its own machine's included. For the loop's thread.
class ping_server {
public:
    /// Registers an agent on a port. Errors: those of `port::register_agent`; where somebody answers pings on this port
    /// already, in whichever process, errc::registration_refused says so.
    [[nodiscard]] static result<ping_server> open(port const& on, ping_server_options options);

    /// Answers until the count is reached, which is no error, or one of these has happened: operation_aborted,
    /// errc::device_gone, errc::agent_closed. The server must outlive this.
    /// Cancellation: every type that the coroutine lets through.
    [[nodiscard]] asio::awaitable<error_code> serve();

    /// Pings answered so far.
    [[nodiscard]] std::uint64_t answered() const noexcept { return answered_; }
    /// Ends `serve` with errc::agent_closed.
    void close() noexcept { over_.close(); }

private:
    ping_server(agent over, ping_server_options options) noexcept : over_{std::move(over)}, options_{std::move(options)}
    {}

    agent over_;
    ping_server_options options_;
    std::uint64_t answered_ = 0;
};

/// `gethostname(2)`, bounded; empty where it fails.
[[nodiscard]] std::string host_name();

} // namespace madrigal
