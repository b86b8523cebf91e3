// The subnet as the subnet manager sees it: what its port reaches over links that are up.
#pragma once

#include <sim/core.hpp>

#include <madrigal/wire/types.hpp>

#include <optional>
#include <vector>

namespace madrigal::sim {

/// An end port that has a LID: of a CA, of a router, or port 0 of a switch.
struct subnet_port {
    topology::endpoint at;
    node const& owner;
    end_port const& end;

    [[nodiscard]] lid base_lid() const noexcept { return lid{end.base_lid}; }
};

/// Those that are reached from a port, itself included, in the order of the topology.
[[nodiscard]] std::vector<subnet_port> reached_from(core const& of, topology::endpoint from);

/// The end port with this LID, reached or not; its LMC counts.
[[nodiscard]] std::optional<subnet_port> port_with(core const& of, lid wanted);
/// The end port with this GID in its table.
[[nodiscard]] std::optional<subnet_port> port_with(core const& of, gid const& wanted);

/// The first GID of a port.
[[nodiscard]] inline gid first_gid(end_port const& of) noexcept
{
    return {of.subnet_prefix, of.port_guid};
}

} // namespace madrigal::sim
