// How a server of subnet administration works, and what it counts.
#pragma once

#include <madrigal/runtime/options.hpp>
#include <madrigal/wire/class_capability.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace madrigal {

/// How a server of subnet administration works.
struct sa_server_options {
    sa_server_options() {
    } // NOLINT: no aggregate, so that GCC 12 does not destroy one in braces twice inside a `co_await`

    /// The key of who is trusted, host byte order. Whoever shows another one than this and 0 is not answered; with 0
    /// nobody is trusted.
    std::uint64_t sm_key = 0;
    /// Questions in work at a time: handlers that are coroutines, and tables on their way. One more is answered BUSY.
    std::size_t at_once = 1'024;
    /// Of these, those from one source LID: the share that one client has while others want to be heard too. QP and GID
    /// do not count: whoever asks chooses them.
    std::size_t at_once_from_one = 256;
    /// A table that a coroutine makes is sent while it is being made, where the runtime does RMPP: of one longer than
    /// `stream_at` only so many bytes are held, charged to `max_table_bytes`, and `yield` waits while the client has
    /// not acknowledged any of them. 0: all tables are made whole first; less than three
    /// segments, 600 bytes, counts as so many. See `reply_stream`.
    std::size_t stream_window = std::size_t{256} << 10;
    std::size_t stream_at = std::size_t{64} << 10;
    /// Bytes of one table made whole; a longer one is refused with sa_no_resources, as asking again will not help.
    std::size_t max_table = std::size_t{64} << 20;
    /// Bytes of all tables that are being made or are on their way; a table that finds no room is answered BUSY, as
    /// there will be room again. Where the kernel does RMPP it is the kernel that holds those on their way.
    std::size_t max_table_bytes = std::size_t{256} << 20;
    /// The runtime does RMPP instead of the kernel (IB_USER_MAD_USER_RMPP): how a transfer has ended is then known.
    bool user_rmpp = true;
    /// What ClassPortInfo says, unless a handler of its own is registered.
    std::uint16_t capability_mask = static_cast<std::uint16_t>(sa_capability::capability_mask2);
    std::uint32_t capability_mask2 = 0;
    std::uint8_t response_time = 18; ///< RespTimeValue: 4.096 us times 2 to this power
    /// How long `run` waits at its end for handlers that do not heed their cancellation.
    std::chrono::milliseconds farewell{1'000};
    /// Of the agent beneath; its inbox counts for what comes before `run` only.
    agent_options agent{};
};

/// What a server has met since it was opened.
struct sa_server_counters {
    std::uint64_t requests = 0; ///< questions that have arrived, whatever they are
    std::uint64_t answered = 0; ///< answers that the kernel or a transfer has taken, of any status
    std::uint64_t busy = 0;     ///< of these, refused BUSY
    std::uint64_t refused = 0;  ///< of these, with any other status than ok
    std::uint64_t thrown = 0;   ///< handlers that have thrown
    std::uint64_t tables = 0;   ///< tables sent, without those whose transfer has failed
    std::uint64_t streamed = 0; ///< of these, sent while they were being made
    std::uint64_t records = 0;  ///< in answers
    std::uint64_t bytes = 0;    ///< of these
    std::uint64_t denied = 0;   ///< with a wrong SM_Key: never answered
    std::uint64_t unheard = 0;  ///< arrived, or were in work, while the server was paused: never answered
    std::uint64_t repeated = 0; ///< questions that were in work already; the one answer is for both
    std::uint64_t dropped = 0;  ///< not answered: no question, no way to send an answer, or a transfer that failed
};

/// What a server holds at a moment. All are 0 when nothing is in work.
struct sa_server_gauges {
    std::size_t in_work = 0;     ///< questions, tables on their way included
    std::size_t table_bytes = 0; ///< charged to `sa_server_options::max_table_bytes`
};

} // namespace madrigal
