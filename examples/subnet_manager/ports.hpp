// What PortInfo of each port should say.
#pragma once

#include "settings.hpp"
#include "subnet.hpp"

#include <madrigal/subnet/smp_work.hpp>
#include <madrigal/wire/attributes/port_info.hpp>

#include <functional>
#include <optional>

namespace sm {

/// How far a pass over the ports takes them.
enum class port_pass {
    arm,      ///< LIDs, keys, MTU and lanes; ports in Init become Armed
    activate, ///< armed ports become Active, and clients are asked to register again
};

/// Makes the PortInfo of a port what it should be.
struct port_plan {
    subnet const& of;
    settings const& with;
    bool reregister; ///< clients are to register with us, as nobody here knows of them

    /// The PortInfo to be set, or nothing where the port is as it should be.
    [[nodiscard]] std::optional<madrigal::port_info> change(endpoint at, port_pass pass) const;
};

/// Adds what has to be set at all ports of a node to a work list; false where nothing has to.
bool order_ports(madrigal::subnet::smp_work& work, port_plan const& plan, node_index node, port_pass pass);

} // namespace sm
