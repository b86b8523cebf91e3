// Who answers SMInfo.
#pragma once

#include <madrigal/runtime/destination.hpp>
#include <madrigal/wire/attributes/sm_info.hpp>
#include <madrigal/wire/sm_state.hpp>

#include <cstdint>

namespace madrigal {

/// What an `smp_server` asks when it is asked for SMInfo. Called on the loop; must not wait.
class sm_info_service {
public:
    sm_info_service() = default;
    sm_info_service(sm_info_service const&) = delete;
    sm_info_service& operator=(sm_info_service const&) = delete;
    virtual ~sm_info_service() = default;

    /// What the subnet manager says of itself, its SM_Key included: who may not see it is shown 0 by the server. Being
    /// asked is an activity, so ActCount goes up.
    [[nodiscard]] virtual sm_info describe() = 0;
    /// Another subnet manager sends one of the controls, says this of itself, and can be reached back at `back`. The
    /// status of the answer: 0, or mad_status::invalid_value. What it leads to begins after this call.
    [[nodiscard]] virtual std::uint16_t on_control(sm_control what, sm_info const& from, destination const& back) = 0;
    /// The device has been lost: nothing is heard until it is back.
    virtual void device_is_lost() {}
    /// The device had been lost, and the server hears questions again: others may have taken over meanwhile.
    virtual void device_is_back() {}
    /// The port has been closed, and the server with it: nothing will be asked any more.
    virtual void port_is_closed() {}
};

} // namespace madrigal
