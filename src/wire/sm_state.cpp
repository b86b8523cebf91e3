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

} // namespace madrigal
