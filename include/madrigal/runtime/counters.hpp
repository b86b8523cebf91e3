// What the runtime counts.
#pragma once

#include <cstdint>

namespace madrigal {

/// Counts of one agent since it was registered.
struct agent_counters {
    std::uint64_t requests = 0;           ///< accepted by `async_request`
    std::uint64_t sends = 0;              ///< MADs without an answer, replies included
    std::uint64_t answers = 0;            ///< requests completed by an answer, whatever its status
    std::uint64_t timeouts = 0;           ///< requests completed by the kernel's report or the guard deadline
    std::uint64_t guard_timeouts = 0;     ///< of these, by the guard deadline alone
    std::uint64_t cancelled = 0;          ///< requests cancelled by their caller
    std::uint64_t failed_writes = 0;      ///< MADs that the kernel refused
    std::uint64_t refused_full = 0;       ///< operations refused with errc::queue_full
    std::uint64_t late_answers = 0;       ///< answers and reports for cancelled requests
    std::uint64_t stale_answers = 0;      ///< answers and reports whose transaction is unknown
    std::uint64_t mismatched_answers = 0; ///< answers of another class, attribute or modifier than the asked one
    std::uint64_t reply_reports = 0;      ///< the kernel's reports about replies of ours
    std::uint64_t received = 0;           ///< unsolicited MADs
    std::uint64_t inbox_dropped = 0;      ///< of these, dropped because the inbox was full
    std::uint64_t too_long = 0;           ///< RMPP messages dropped because they were longer than the agent takes
};

/// What an agent holds at a moment. All are 0 when nothing is outstanding.
struct agent_gauges {
    std::uint64_t slots = 0;         ///< transaction slots in use, cancelled requests included
    std::uint64_t on_wire = 0;       ///< window places taken
    std::uint64_t waiting = 0;       ///< requests waiting for a place
    std::uint64_t inbox = 0;         ///< unsolicited MADs not yet taken
    std::uint64_t transfers = 0;     ///< RMPP transfers of its own that have not ended, both ways
    std::uint64_t message_bytes = 0; ///< taken by messages that arrive, or that the program holds
    std::uint64_t window = 0;        ///< the window's size now
};

/// Counts of one port since it was opened.
struct port_io_counters {
    std::uint64_t packets_read = 0;
    std::uint64_t packets_written = 0;
    std::uint64_t malformed = 0;      ///< shorter than a header, or lengths that contradict each other
    std::uint64_t unknown_agent = 0;  ///< agent id out of range, or without an agent
    std::uint64_t unknown_status = 0; ///< neither received nor timed out
    std::uint64_t oversized = 0;      ///< RMPP messages that no agent takes, or longer than it takes
    std::uint64_t read_errors = 0;
    std::uint64_t device_losses = 0;
};

} // namespace madrigal
