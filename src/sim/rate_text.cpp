#include <sim/rate_text.hpp>

#include <madrigal/wire/path_rates.hpp>

#include <fmt/format.h>

namespace madrigal::sim {

std::string rate_text(link_width width, link_speed speed)
{
    auto const rate = rate_in_tenths(width, speed);
    return fmt::format("{}{} Gb/sec ({}X {})", rate / 10, rate % 10 != 0 ? ".5" : "", lanes(width),
        to_string(speed == link_speed::none ? link_speed::sdr : speed));
}

} // namespace madrigal::sim
