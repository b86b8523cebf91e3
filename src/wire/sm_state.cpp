#include <madrigal/wire/sm_state.hpp>

namespace madrigal {

std::string to_string(sm_state value)
{
    switch (value) {
    case sm_state::not_active: return "NotActive";
    case sm_state::discovering: return "Discovering";
    case sm_state::standby: return "Standby";
    case sm_state::master: return "Master";
    }
    return std::to_string(static_cast<unsigned>(value));
}

std::string to_string(sm_control value)
{
    switch (value) {
    case sm_control::handover: return "HANDOVER";
    case sm_control::acknowledge: return "ACKNOWLEDGE";
    case sm_control::disable: return "DISABLE";
    case sm_control::standby: return "STANDBY";
    case sm_control::discover: return "DISCOVER";
    }
    return std::to_string(static_cast<std::uint32_t>(value));
}

} // namespace madrigal
