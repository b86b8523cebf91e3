#include <madrigal/runtime/destination.hpp>

namespace madrigal {
namespace {

/// Mixes 64 bits so that similar keys are far apart (the finaliser of SplitMix64).
constexpr std::uint64_t mix(std::uint64_t value) noexcept
{
    value = (value ^ value >> 30) * 0xBF58'476D'1CE4'E5B9ULL;
    value = (value ^ value >> 27) * 0x94D0'49BB'1331'11EBULL;
    return value ^ value >> 31;
}

} // namespace

std::uint64_t destination::key() const noexcept
{
    switch (kind_) {
    case kind::lid: return lid_.value();
    case kind::gid: return mix(global_.destination.interface_id().value() ^ mix(global_.destination.subnet_prefix()));
    case kind::directed_route: break;
    }
    std::uint64_t key = mix(static_cast<std::uint64_t>(lid_.value()) << 16 | dr_dlid_.value());
    for (auto const port : route_.ports())
        key = mix(key ^ port);
    return key;
}

std::string to_string(destination const& to)
{
    switch (to.type()) {
    case destination::kind::lid: return "LID " + to_string(to.to_lid());
    case destination::kind::gid: return "GID " + to_string(to.global().destination);
    case destination::kind::directed_route: break;
    }
    std::string text = "directed route " + to_string(to.route());
    if (!to.directed_from().is_permissive())
        text += " from LID " + to_string(to.to_lid());
    if (!to.directed_to().is_permissive())
        text += " to LID " + to_string(to.directed_to());
    return text;
}

} // namespace madrigal
