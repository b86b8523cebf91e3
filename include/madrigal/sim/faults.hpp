// What goes wrong on a simulated fabric, on purpose. All of it is off unless asked for, and comes from one seed.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/topology/fabric.hpp>

#include <cstdint>
#include <optional>

namespace madrigal::sim {

/// Faults and delays that hold for the whole fabric.
struct fault_options {
    duration hop_latency{};      ///< each traversal of a link takes this long
    duration service_time{};     ///< a node's agent takes this long for each request
    duration jitter{};           ///< each traversal takes up to this much longer, evenly spread: this reorders
    double loss = 0;             ///< probability that a link traversal loses the packet, 0 to 1
    double duplicate = 0;        ///< probability that a link traversal delivers the packet twice, 0 to 1
    std::size_t queue_limit = 0; ///< requests that wait for one node's agent at a time; more are lost. 0: no limit
};

/// What a fault rule does with the request it meets.
enum class fault_action : std::uint8_t {
    drop,    ///< the request is never answered
    delay,   ///< the answer leaves `delay` later
    corrupt, ///< one bit of the answer's data is wrong
    status,  ///< the answer carries `status` and otherwise what the request carried
};

/// Makes some requests to the management agent of some nodes fail. Members that are not set match everything; of
/// several rules that match, the first one that strikes counts.
struct fault_rule {
    std::optional<topology::node_index> node{};
    std::optional<std::uint8_t> port{};       ///< the port through which the request arrived; 0 from inside
    std::optional<std::uint16_t> attribute{}; ///< AttributeID, host byte order
    std::optional<std::uint8_t> method{};     ///< 0x01 Get, 0x02 Set
    std::optional<std::uint8_t> mgmt_class{};
    double probability = 1;          ///< that the rule strikes where it matches
    std::optional<unsigned> count{}; ///< strikes so often and is spent
    fault_action action = fault_action::drop;
    duration delay{};
    std::uint16_t status = 0; ///< MAD status in host byte order, without the D bit
};

/// Names a rule that `fabric::add_rule` took.
using fault_rule_id = std::uint32_t;

} // namespace madrigal::sim
