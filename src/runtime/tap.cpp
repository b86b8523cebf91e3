#include <madrigal/runtime/detail/tap.hpp>

#include "runtime/log.hpp"

#include <exception>
#include <utility>

namespace madrigal::detail {

tap::tap(time_source const& time, packet_sink sink)
    : time_{time},
      wall_minus_steady_{std::chrono::system_clock::now().time_since_epoch() - time.now().time_since_epoch()},
      sink_{std::move(sink)}
{}

bool tap::show(tap_direction direction, engine::packet const& packet, umad::port_attributes const& port) noexcept
{
    if (!sink_)
        return false;
    auto const bytes = packet.contents();
    tapped_packet const shown{
        .direction = direction,
        .when = std::chrono::sys_time<std::chrono::nanoseconds>{time_.now().time_since_epoch() + wall_minus_steady_},
        .header = *reinterpret_cast<umad::ib_user_mad_hdr const*>(bytes.data()),
        .mad = bytes.subspan(umad::header_size),
        .port = port,
    };
    try {
        auto const taken = sink_(shown);
        if (taken)
            return true;
        fail(port, taken.error().message().c_str());
    } catch (std::exception const& thrown) {
        fail(port, thrown.what());
    } catch (...) {
        fail(port, "an exception of unknown type");
    }
    return false;
}

void tap::fail(umad::port_attributes const& port, char const* why) noexcept
{
    sink_ = nullptr;
    try {
        log().warn("{} port {}: the packet tap has failed and is taken off: {}", port.ca_name, port.number, why);
    } catch (...) { // NOLINT(bugprone-empty-catch): nothing is left to say it with
    }
}

} // namespace madrigal::detail
