#include <sim/registration_rules.hpp>

#include <madrigal/wire/management_class.hpp>

#include <cerrno>

namespace madrigal::sim {
namespace {

constexpr std::uint8_t version_limit = 0x83;
constexpr std::uint8_t class_limit = 80;
constexpr std::uint8_t rmpp_version = 1;

} // namespace

bool class_has_rmpp(std::uint8_t mgmt_class) noexcept
{
    return has_rmpp(static_cast<management_class>(mgmt_class));
}

int check_registration(agent_request const& request) noexcept
{
    auto const mgmt_class = static_cast<management_class>(request.mgmt_class);
    if (request.rmpp_version != 0 && request.rmpp_version != rmpp_version)
        return EINVAL;
    if (request.mgmt_class == 0)
        return request.user_rmpp ? EINVAL : 0;
    if (request.class_version >= version_limit)
        return EINVAL;
    if (request.mgmt_class >= class_limit && mgmt_class != management_class::subnet_directed_route)
        return EINVAL;
    if (is_vendor_with_oui(mgmt_class) && request.oui == 0)
        return EINVAL;
    if (request.rmpp_version != 0 && !class_has_rmpp(request.mgmt_class))
        return EINVAL;
    return is_smp(mgmt_class) == (request.qpn == 0) ? 0 : EINVAL;
}

} // namespace madrigal::sim
