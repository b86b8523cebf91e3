// Adapters that take SMPs and GMPs through separate devices.
#include "libibumad/log.hpp"
#include "libibumad/port_choice.hpp"
#include "libibumad/process_host.hpp"
#include "libibumad/umad_header.hpp"

#include <madrigal/umad/smi_gsi_pair.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace madrigal::libibumad {
namespace {

bool fits(umad::smi_gsi_pair const& pair) noexcept
{
    return pair.gsi.ca_name.size() < UMAD_CA_NAME_LEN && (!pair.smi || pair.smi->ca_name.size() < UMAD_CA_NAME_LEN);
}

/// All ports, the first of each physical one, whose devices have names that fit.
result<std::vector<umad::smi_gsi_pair>> port_pairs()
{
    BOOST_OUTCOME_TRY(auto host, use_host());
    BOOST_OUTCOME_TRY(auto pairs, umad::list_smi_gsi_pairs(*host));
    std::erase_if(pairs, [](auto const& pair) { return !fits(pair) || !pair.gsi.port_guid; });
    return pairs;
}

void put_name(char (&field)[UMAD_CA_NAME_LEN], std::string const& name) noexcept // NOLINT: the header's own
{
    std::memset(field, 0, sizeof field);
    std::memcpy(field, name.data(), name.size());
}

void fill(umad_ca_pair& to, umad::smi_gsi_pair const& from) noexcept
{
    to = {};
    put_name(to.gsi_name, from.gsi.ca_name);
    to.gsi_preferred_port = from.gsi.number;
    if (from.smi) {
        put_name(to.smi_name, from.smi->ca_name);
        to.smi_preferred_port = from.smi->number;
    }
}

/// Whether two ports belong to the same pair of devices.
bool same_devices(umad::smi_gsi_pair const& a, umad::smi_gsi_pair const& b) noexcept
{
    return a.gsi.ca_name == b.gsi.ca_name && a.smi.has_value() == b.smi.has_value() &&
           (!a.smi || a.smi->ca_name == b.smi->ca_name);
}

/// How much a pair's port is to be preferred: as its worse side.
preference preference_of(umad::smi_gsi_pair const& pair) noexcept
{
    auto const gsi = libibumad::preference_of(pair.gsi);
    return pair.smi ? std::max(gsi, libibumad::preference_of(*pair.smi)) : gsi;
}

verdict get_pairs(umad_ca_pair* cas, std::size_t max)
{
    auto ports = port_pairs();
    if (!ports)
        return {-1, -failed(ports.error()).value};
    std::vector<umad::smi_gsi_pair> devices;
    for (auto& port : ports.value()) {
        auto const known = std::ranges::find_if(devices, [&](auto const& one) { return same_devices(one, port); });
        if (known == devices.end())
            devices.push_back(std::move(port));
        else if (preference_of(port) < preference_of(*known))
            *known = std::move(port);
    }
    std::fill_n(cas, max, umad_ca_pair{});
    auto const count = std::min(devices.size(), max);
    for (std::size_t i = 0; i != count; ++i) {
        fill(cas[i], devices[i]);
        if (preference_of(devices[i]) != preference::active) // the manual page: the first port found active
            cas[i].gsi_preferred_port = cas[i].smi_preferred_port = 0;
    }
    return {static_cast<int>(count)};
}

/// Which ports a program means.
struct wanted_pair {
    char const* name; ///< of either device; null: any
    unsigned number;  ///< the named device's, or the SMP side's; 0: any
    bool with_smi;
};

bool matches(umad::smi_gsi_pair const& pair, wanted_pair const& wanted) noexcept
{
    if (wanted.with_smi && !pair.smi)
        return false;
    auto const fits = [&](umad::port_attributes const& side) {
        return (wanted.name == nullptr || side.ca_name == wanted.name) &&
               (wanted.number == 0 || side.number == wanted.number);
    };
    if (wanted.name == nullptr)
        return fits(pair.smi ? *pair.smi : pair.gsi);
    return fits(pair.gsi) || (pair.smi && fits(*pair.smi));
}

verdict get_pair(wanted_pair wanted, umad_ca_pair& to)
{
    to = {};
    std::string preferred;
    if (wanted.name == nullptr) {
        if (auto host = use_host())
            preferred = preferred_ca(*host.value());
        if (!preferred.empty())
            wanted.name = preferred.c_str();
    }
    auto const ports = port_pairs();
    if (!ports)
        return failed(ports.error());
    bool const in_full = wanted.name != nullptr && preferred.empty() && wanted.number != 0;
    umad::smi_gsi_pair const* best = nullptr;
    for (auto const& pair : ports.value()) {
        if (!matches(pair, wanted) || (!in_full && preference_of(pair) == preference::never))
            continue;
        if (best == nullptr || preference_of(pair) < preference_of(*best))
            best = &pair;
    }
    // The manual page says 1 here; libibumad returns this, and its callers take what is not negative for success.
    if (best == nullptr)
        return refused(ENODEV);
    fill(to, *best);
    return {};
}

} // namespace
} // namespace madrigal::libibumad

using namespace madrigal::libibumad;

extern "C" {

int umad_get_smi_gsi_pairs(umad_ca_pair* cas, std::size_t max)
{
    return uncancelled([&]() -> verdict {
        debug("umad_get_smi_gsi_pairs: at most {}", max);
        return cas != nullptr || max == 0 ? get_pairs(cas, max) : verdict{-1, EINVAL};
    });
}

int umad_get_smi_gsi_pair_by_ca_name(
    char const* devname, std::uint8_t portnum, umad_ca_pair* ca_pair, unsigned enforce_smi)
{
    return uncancelled([&]() -> verdict {
        debug("umad_get_smi_gsi_pair_by_ca_name: {} port {}", shown(devname), portnum);
        if (ca_pair == nullptr)
            return refused(EINVAL);
        return get_pair({.name = devname, .number = portnum, .with_smi = enforce_smi != 0}, *ca_pair);
    });
}

} // extern "C"
