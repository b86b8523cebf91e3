// SwitchPortStateTable (IBA 14.2.5.20): the state of 128 ports of a switch at once. The attribute modifier is the
// block.
#pragma once

#include <madrigal/wire/layout.hpp>
#include <madrigal/wire/port_state.hpp>

#include <array>

namespace madrigal {
using port_state_block = std::array<port_state, 128>;
} // namespace madrigal

// clang-format off
#define MADRIGAL_SWITCH_PORT_STATE_TABLE(field)                                                                        \
    field(port_state_block, states, "PortState", 0, 4, "state of each port, port 0 first")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(switch_port_state_table, "SwitchPortStateTable", 0x0034, subnet_management_scope, 64,
    MADRIGAL_SWITCH_PORT_STATE_TABLE);
} // namespace madrigal
