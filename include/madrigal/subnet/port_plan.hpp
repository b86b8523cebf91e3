// What PortInfo of each port should say, and the SMPs that make it so.
#pragma once

#include <madrigal/subnet/managed_subnet.hpp>
#include <madrigal/subnet/smp_work.hpp>
#include <madrigal/wire/attributes/port_info.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace madrigal {

/// How far a pass over the ports takes them. Each is done for all ports before the next.
enum class port_pass : std::uint8_t {
    arm,      ///< LIDs, keys, MTU and lanes are set, and ports in Init become Armed
    activate, ///< armed ports become Active, and clients are asked to register again
};

/// What ports are to be told besides what they have in common with their peers. Numbers in host byte order.
struct port_policy {
    std::uint64_t subnet_prefix = default_subnet_prefix;
    std::uint64_t m_key = 0;
    std::uint8_t hoq_life = 18;      ///< of switches' ports: 4.096 us times 2 to this power; after power-on it may be 0
    std::uint8_t vl_stall_count = 7; ///< of the same
    std::uint8_t subnet_timeout = 18; ///< of end ports: 4.096 us times 2 to this power
    /// Whether the clients of a port are to subscribe and join again, as this subnet manager is new to them, or they
    /// were out of its sight. None where it is empty.
    std::function<bool(end_port const&)> reregister{};
};

/// The PortInfo to be set at a port, or nothing where it is as it should be: an end port gets its LIDs, those of the
/// subnet manager (`managed_subnet::own`), the prefix and the M_Key; a port with a cable the MTU and the lanes that
/// both ends can do, while it carries no data yet, and its next state. Of fields with a value for "no change" all
/// others keep that (IBA 14.2.5.6). A port without a peer, or which has not answered itself, is left alone; where its
/// peer has not answered, MTU and lanes are left as they are.
[[nodiscard]] std::optional<port_info> port_change(
    managed_subnet const& of, topology::endpoint at, port_policy const& policy, port_pass pass);

/// Ports with a cable, and somebody who answers at its other end, that are not Active.
[[nodiscard]] std::size_t ports_not_active(managed_subnet const& of);

/// Adds what has to be set at all ports of a node to a work list, in one job for a switch, in one for each port of
/// another node. The subnet and the policy must live as long as
/// the list. Whoever runs the list puts the answers into
/// `managed_subnet::info`: the next pass goes on from there.
void order_ports(
    smp_work& work, managed_subnet const& of, topology::node_index node, port_policy const& policy, port_pass pass);

} // namespace madrigal
