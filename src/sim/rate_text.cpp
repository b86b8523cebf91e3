#include <sim/rate_text.hpp>

#include <fmt/format.h>

namespace madrigal::sim {
namespace {

unsigned lane_in_tenths(link_speed speed) noexcept
{
    switch (speed) {
    case link_speed::none:
    case link_speed::sdr: return 25;
    case link_speed::ddr: return 50;
    case link_speed::qdr:
    case link_speed::fdr10: return 100;
    case link_speed::fdr: return 140;
    case link_speed::edr: return 250;
    case link_speed::hdr: return 500;
    case link_speed::ndr: return 1000;
    case link_speed::xdr: return 2000;
    }
    return 25;
}

} // namespace

unsigned rate_in_tenths(link_width width, link_speed speed) noexcept
{
    return lane_in_tenths(speed) * lanes(width);
}

std::string rate_text(link_width width, link_speed speed)
{
    auto const rate = rate_in_tenths(width, speed);
    return fmt::format("{}{} Gb/sec ({}X {})", rate / 10, rate % 10 != 0 ? ".5" : "", lanes(width),
        to_string(speed == link_speed::none ? link_speed::sdr : speed));
}

} // namespace madrigal::sim
