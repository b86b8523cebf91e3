// States of a subnet manager, and what one tells another.
#pragma once

#include <cstdint>
#include <string>

namespace madrigal {

/// SMInfo.SMState (IBA 14.4.1).
enum class sm_state : std::uint8_t {
    not_active = 0,
    discovering = 1,
    standby = 2,
    master = 3,
};

/// `NotActive`, `Discovering`, `Standby`, `Master`; a number for anything else.
[[nodiscard]] std::string to_string(sm_state value);

/// AttributeModifier of a Set(SMInfo), in host byte order (IBA 14.4.1): what the sender wants.
enum class sm_control : std::uint32_t {
    handover = 1,    ///< be the master
    acknowledge = 2, ///< I am: you no longer
    disable = 3,     ///< do nothing until told
    standby = 4,     ///< be there again
    discover = 5,    ///< look for yourself
};

/// `HANDOVER`, `ACKNOWLEDGE`, `DISABLE`, `STANDBY`, `DISCOVER`; a number for anything else.
[[nodiscard]] std::string to_string(sm_control value);

} // namespace madrigal
