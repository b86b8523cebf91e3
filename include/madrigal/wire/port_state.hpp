// The states of a port: logical and physical.
#pragma once

#include <cstdint>
#include <string>

namespace madrigal {

/// PortInfo.PortState (IBA 14.2.5.6); the numbers of sysfs' `state`.
enum class port_state : std::uint8_t {
    no_change = 0, ///< only in a Set
    down = 1,
    init = 2,
    armed = 3,
    active = 4,
    active_defer = 5, ///< sysfs only
};

/// PortInfo.PortPhysicalState (IBA 14.2.5.6); the numbers of sysfs' `phys_state`.
enum class physical_state : std::uint8_t {
    no_change = 0, ///< only in a Set
    sleep = 1,
    polling = 2,
    disabled = 3,
    training = 4,
    link_up = 5,
    link_error_recovery = 6,
    phy_test = 7,
};

/// `Down`, `Init`, `Armed`, `Active`; a number for anything else.
[[nodiscard]] std::string to_string(port_state value);
/// `Sleep`, `Polling`, `Disabled`, `PortConfigurationTraining`, `LinkUp`, `LinkErrorRecovery`, `PhyTest`.
[[nodiscard]] std::string to_string(physical_state value);

} // namespace madrigal
