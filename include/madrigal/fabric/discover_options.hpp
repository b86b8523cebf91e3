// How a sweep asks and says how far it has come, for those who only hand this on.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/fabric/m_key_table.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace madrigal {

/// How far a sweep has come.
struct discover_progress {
    std::size_t nodes = 0;   ///< found so far
    std::size_t links = 0;   ///< found so far; a link counts when both ends have been seen
    std::uint64_t smps = 0;  ///< questions sent so far
    std::size_t waiting = 0; ///< questions known that still have to be asked
};

/// How a sweep asks.
struct discover_options {
    discover_options() {} // NOLINT: no aggregate, so that GCC 12 does not destroy one in braces twice in a `co_await`

    unsigned outstanding = 64;              ///< SMPs on the wire at a time
    unsigned per_destination = 4;           ///< of them to one node; 0: no limit
    std::chrono::milliseconds timeout{200}; ///< of one transmission
    unsigned retries = 2;                   ///< by the kernel: N retries are N + 1 transmissions
    unsigned attempts = 3;                  ///< how often a question is asked in all, the later ones when there is
                                            ///< nothing new to ask; at least 1
    std::size_t max_nodes = 200'000;        ///< an end for a fabric that makes nodes up; what is beyond is a problem
    std::optional<unsigned> max_hops;       ///< only the nodes within so many hops; without it all that can be reached
    m_key_table keys;
    /// Keeps the attributes of nodes and ports as they were answered, in `discovery::attributes`.
    bool keep_attributes = false;
    /// For a subnet manager that is the master: has a switch that says that a port of its has changed forget that
    /// before its ports are asked, by Set(SwitchInfo) (PortStateChange, IBA 14.2.5.4). What changes after a port was
    /// asked is told again then. `discovery::attributes` has the bit as it was.
    bool clear_port_state_change = false;
    /// Asks for the maker's attribute that tells FDR10 from QDR, where that is in doubt.
    bool ask_makers = true;
    /// Called from the loop, for each node found and now and then between; cheap calls only.
    std::function<void(discover_progress const&)> on_progress;
    /// The clock for `sweep_statistics::elapsed`: the machine's steady clock where null. Not owned.
    time_source const* time = nullptr;
};

} // namespace madrigal
