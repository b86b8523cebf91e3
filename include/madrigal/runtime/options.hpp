// What can be set when a port is opened, an agent registered, a request made.
#pragma once

#include <madrigal/engine/flow_window.hpp>
#include <madrigal/engine/retry_policy.hpp>
#include <madrigal/runtime/rmpp_options.hpp>
#include <madrigal/wire/types.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace madrigal {

class time_source;

/// How one request waits. Trivially destructible, so it may be written in braces inside a `co_await` expression.
struct request_options {
    /// How long each transmission waits for its answer; the agent's own where it is not set. 1 ms at least.
    std::optional<std::chrono::milliseconds> timeout{};
    /// How often it is sent again: N retries are N + 1 transmissions. The agent's own where it is not set.
    std::optional<unsigned> retries{};
    /// Ends the request after this long, whatever the retries say; counted from when it leaves. The time in which the
    /// kernel resolves a GID (on Ethernet, see `agent`) does not count.
    std::optional<std::chrono::milliseconds> total{};
    /// Twice the interval each time, after four equal ones, instead of a fixed interval.
    std::optional<bool> doubling{};
    /// The M_Key of an SMP; 0 none.
    std::uint64_t m_key = 0;
};

/// How an agent sends and what it keeps.
struct agent_options {
    engine::window_options window{};  ///< requests on the wire at a time
    unsigned per_destination = 0;     ///< of them to one destination at a time; 0: no limit
    std::size_t queue_limit = 65'536; ///< requests waiting for a place; one more fails with errc::queue_full
    engine::retry_policy retry{};     ///< where a request does not say
    std::size_t inbox_limit = 4'096;  ///< unsolicited MADs waiting for the server; more are dropped and counted
    rmpp_options rmpp{};              ///< of an agent with RMPP
};

/// How a reactor works.
struct reactor_options {
    std::size_t max_packets = 1'048'576; ///< packets in memory at a time: queued requests, and MADs not yet taken
    std::size_t read_budget = 256;       ///< packets read before others on the loop get their turn
    time_source* time = nullptr;         ///< the machine's steady clock where null; not owned
};

} // namespace madrigal
