#include <madrigal/wire/path_rates.hpp>

#include <algorithm>
#include <array>
#include <iterator>

namespace madrigal {
namespace {

/// All rates that have codes, the slowest first, and what they are in units of 100 Mb/s.
struct known_rate {
    path_rate code;
    unsigned value;
};
constexpr std::array rates{known_rate{path_rate::gbps_2_5, 25}, known_rate{path_rate::gbps_5, 50},
    known_rate{path_rate::gbps_10, 100}, known_rate{path_rate::gbps_14, 140}, known_rate{path_rate::gbps_20, 200},
    known_rate{path_rate::gbps_25, 250}, known_rate{path_rate::gbps_28, 280}, known_rate{path_rate::gbps_30, 300},
    known_rate{path_rate::gbps_40, 400}, known_rate{path_rate::gbps_50, 500}, known_rate{path_rate::gbps_56, 560},
    known_rate{path_rate::gbps_60, 600}, known_rate{path_rate::gbps_80, 800}, known_rate{path_rate::gbps_100, 1000},
    known_rate{path_rate::gbps_112, 1120}, known_rate{path_rate::gbps_120, 1200}, known_rate{path_rate::gbps_168, 1680},
    known_rate{path_rate::gbps_200, 2000}, known_rate{path_rate::gbps_300, 3000}, known_rate{path_rate::gbps_400, 4000},
    known_rate{path_rate::gbps_600, 6000}, known_rate{path_rate::gbps_800, 8000},
    known_rate{path_rate::gbps_1200, 12000}};

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

auto place_of(path_rate code) noexcept
{
    return std::find_if(rates.begin(), rates.end(), [&](known_rate const& one) { return one.code == code; });
}

} // namespace

unsigned rate_in_tenths(link_width width, link_speed speed) noexcept
{
    return lane_in_tenths(speed) * lanes(width);
}

path_rate rate_of(link_width width, link_speed speed) noexcept
{
    auto const value = rate_in_tenths(width, speed);
    auto const above =
        std::find_if(rates.begin(), rates.end(), [&](known_rate const& one) { return one.value > value; });
    return above == rates.begin() ? rates.front().code : std::prev(above)->code;
}

bool is_slower(path_rate a, path_rate b) noexcept
{
    return place_of(a) < place_of(b);
}

std::optional<mtu> chosen(mtu found, selector how, mtu wish) noexcept
{
    if (how == selector::best)
        return found;
    if (wish < mtu::bytes_256 || wish > mtu::bytes_4096)
        return std::nullopt;
    switch (how) {
    case selector::greater: return found > wish ? std::optional{found} : std::nullopt;
    case selector::exactly: return found >= wish ? std::optional{wish} : std::nullopt;
    default: break;
    }
    if (wish == mtu::bytes_256)
        return std::nullopt;
    return std::min(found, static_cast<mtu>(static_cast<std::uint8_t>(wish) - 1));
}

std::optional<path_rate> chosen(path_rate found, selector how, path_rate wish) noexcept
{
    if (how == selector::best)
        return found;
    auto const wished = place_of(wish);
    if (wished == rates.end())
        return std::nullopt;
    auto const present = place_of(found);
    switch (how) {
    case selector::greater: return present > wished ? std::optional{found} : std::nullopt;
    case selector::exactly: return present >= wished ? std::optional{wish} : std::nullopt;
    default: break;
    }
    if (wished == rates.begin())
        return std::nullopt;
    return std::min(present, std::prev(wished))->code;
}

std::optional<std::uint8_t> chosen_life_time(std::uint8_t found, selector how, std::uint8_t wish) noexcept
{
    constexpr std::uint8_t longest = 63;
    switch (how) {
    case selector::greater:
        return wish < longest ? std::optional{std::max<std::uint8_t>(found, wish + 1)} : std::nullopt;
    case selector::less: return found < wish ? std::optional{found} : std::nullopt;
    case selector::exactly: return found <= wish ? std::optional{wish} : std::nullopt;
    case selector::best: break;
    }
    return found;
}

} // namespace madrigal
