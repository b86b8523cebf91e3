// States of a subnet manager.
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

} // namespace madrigal
