// What a simulated fabric did with the packets it was given: for tests and for people who wonder where one went.
#pragma once

#include <cstddef>
#include <cstdint>

namespace madrigal::sim {

/// Why a packet went no further.
enum class drop_reason : std::uint8_t {
    loss,               ///< the loss probability of `fault_options`
    fault_rule,         ///< a fault rule's `drop`
    link_down,          ///< the port it should leave through is down, or has no such cable
    port_not_active,    ///< anything but an SMP through a port that is not ACTIVE
    no_route,           ///< no forwarding entry (0xFF), or the entry names a port that does not exist
    hop_limit,          ///< it walked in circles
    bad_directed_route, ///< hop pointer, hop count or path make no sense, or a hop is no switch
    wrong_destination,  ///< reached a CA or router that does not have the LID
    node_off,           ///< the node has no power
    m_key,              ///< the M_Key check failed
    q_key,              ///< a GMP whose Q_Key is not that of QP1
    p_key,              ///< P_Key checks are on, and the receiver's table does not hold it
    malformed,          ///< base version, class or QP cannot be
    queue_full,         ///< too many requests wait for this node's agent
    unmatched,          ///< no agent for it, and neither a Get nor a Set
    late_answer,        ///< an answer to nothing that is outstanding
    receive_list_full,  ///< 200,000 packets wait unread on the file
    repeated_question,  ///< to subnet administration, whose answer to it is on its way
    count_,
};

/// Counts since the fabric was made.
struct fabric_counters {
    std::uint64_t transmitted = 0;   ///< packets that agents, kernels and nodes sent, retransmissions included
    std::uint64_t retransmitted = 0; ///< of them, repeats by an emulated kernel
    std::uint64_t hops = 0;          ///< link traversals
    std::uint64_t answered = 0;      ///< requests that simulated nodes answered
    std::uint64_t duplicated = 0;    ///< by the duplicate fault
    std::uint64_t traps = 0;         ///< notices that simulated nodes sent, repeats included
    std::uint64_t dropped[static_cast<std::size_t>(drop_reason::count_)] = {};

    /// Packets dropped for one reason.
    [[nodiscard]] std::uint64_t drops(drop_reason why) const noexcept { return dropped[static_cast<std::size_t>(why)]; }
    /// Packets dropped, for whatever reason.
    [[nodiscard]] std::uint64_t drops() const noexcept
    {
        std::uint64_t sum = 0;
        for (auto const one : dropped)
            sum += one;
        return sum;
    }
};

} // namespace madrigal::sim
