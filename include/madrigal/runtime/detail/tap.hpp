// A sink that is on, and the clock that its packets are stamped with.
#pragma once

#include <madrigal/engine/packet.hpp>
#include <madrigal/engine/time.hpp>
#include <madrigal/runtime/packet_tap.hpp>

namespace madrigal::detail {

/// Shared by the channels of a port. For the loop's thread.
class tap {
public:
    /// The time source must outlive it.
    tap(time_source const& time, packet_sink sink);

    /// Shows a packet with a 64-byte header and at least that of a MAD. False once the sink has failed, which is logged
    /// the first time.
    [[nodiscard]] bool show(
        tap_direction direction, engine::packet const& packet, umad::port_attributes const& port) noexcept;

private:
    void fail(umad::port_attributes const& port, char const* why) noexcept;

    time_source const& time_;
    std::chrono::nanoseconds wall_minus_steady_;
    packet_sink sink_;
};

} // namespace madrigal::detail
