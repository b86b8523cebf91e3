// How a client of subnet administration asks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace madrigal {

/// How one question to subnet administration waits; what is not set is the client's. Trivially destructible, so it may
/// be written in braces inside a `co_await` expression.
struct sa_request_options {
    /// How long each transmission waits for its answer; 1 ms at least. For a table that the kernel puts together it
    /// must last for the whole transfer (see `sa_options::table_timeout`).
    std::optional<std::chrono::milliseconds> timeout{};
    /// How often it is sent again for want of an answer: N retries are N + 1 transmissions.
    std::optional<unsigned> retries{};
    /// Ends the question after this long, with all its transmissions, waits for a busy peer and redirections; 0: never.
    std::optional<std::chrono::milliseconds> total{};
    /// SM_Key, host byte order: shown to subnet administrations that trust only who knows it.
    std::optional<std::uint64_t> sm_key{};
};

/// How a client asks where a question does not say.
struct sa_options {
    sa_options() {} // NOLINT: no aggregate, so that GCC 12 does not destroy one in braces twice inside a `co_await`

    /// Tables are put together by the runtime instead of by the kernel (IB_USER_MAD_USER_RMPP).
    bool user_rmpp = false;
    /// Questions under way at a time, those included that wait because subnet administration is busy. Others wait in
    /// order, without a limit of time. Newer kernels send 16 at a time at most.
    unsigned window = 16;
    std::size_t queue_limit = 65'536;        ///< questions that wait; one more fails with errc::queue_full
    std::chrono::milliseconds timeout{1000}; ///< four intervals of so long, then each twice the one before
    unsigned retries = 5;
    /// The timeout for a table that the kernel puts together: its clock runs until the last segment is there, and a
    /// question that is sent again begins the transfer again. It is not doubled.
    std::chrono::milliseconds table_timeout{20'000};
    unsigned table_retries = 2;
    std::size_t max_table = std::size_t{64} << 20; ///< bytes of one; a longer one fails with errc::message_too_long
    std::chrono::milliseconds total{60'000};       ///< of a question from when it gets its place; 0: no limit
    std::uint64_t sm_key = 0;                      ///< host byte order; 0: no trust

    /// How long to wait when subnet administration says that it is busy: four times so long, then each time twice as
    /// long, but no longer than `longest_busy_interval`, and not beyond the total.
    std::chrono::milliseconds busy_interval{100};
    std::chrono::milliseconds longest_busy_interval{60'000};

    /// How often the port is looked at while there are subscriptions or memberships, for the signs that the subnet
    /// manager has forgotten them (see `sa_client`); 0: never.
    std::chrono::milliseconds watch_interval{1000};
    /// Renews subscriptions and memberships again and again although there is no such sign; 0: not.
    std::chrono::milliseconds renew_interval{0};
    std::size_t report_limit = 1024; ///< reports waiting in a subscription; more are dropped and counted
};

/// Redirections that one question follows.
inline constexpr unsigned sa_redirection_limit = 4;
/// How long the end of a subscription, or of a membership, waits for a subnet administration that is silent.
inline constexpr std::chrono::milliseconds sa_farewell_limit{1000};

} // namespace madrigal
