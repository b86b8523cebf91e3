#include <madrigal/wire/numbers.hpp>
#include <madrigal/wire/port_state.hpp>
#include <madrigal/wire/types.hpp>

namespace madrigal {

std::string to_string(guid value)
{
    return hexadecimal(value.value(), 16);
}

std::string to_string(lid value)
{
    return std::to_string(value.value());
}

std::string to_string(gid const& value)
{
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(39);
    for (std::size_t i = 0; i != 16; ++i) {
        if (i != 0 && i % 2 == 0)
            text += ':';
        text += digits[value.bytes()[i] >> 4];
        text += digits[value.bytes()[i] & 0xF];
    }
    return text;
}

std::string to_string(node_type value)
{
    switch (value) {
    case node_type::ca: return "CA";
    case node_type::switch_: return "Switch";
    case node_type::router: return "Router";
    }
    return std::to_string(static_cast<unsigned>(value));
}

std::string to_string(port_state value)
{
    switch (value) {
    case port_state::no_change: return "NoChange";
    case port_state::down: return "Down";
    case port_state::init: return "Init";
    case port_state::armed: return "Armed";
    case port_state::active: return "Active";
    case port_state::active_defer: return "ActiveDefer";
    }
    return std::to_string(static_cast<unsigned>(value));
}

std::string to_string(physical_state value)
{
    switch (value) {
    case physical_state::no_change: return "NoChange";
    case physical_state::sleep: return "Sleep";
    case physical_state::polling: return "Polling";
    case physical_state::disabled: return "Disabled";
    case physical_state::training: return "PortConfigurationTraining";
    case physical_state::link_up: return "LinkUp";
    case physical_state::link_error_recovery: return "LinkErrorRecovery";
    case physical_state::phy_test: return "PhyTest";
    }
    return std::to_string(static_cast<unsigned>(value));
}

} // namespace madrigal
