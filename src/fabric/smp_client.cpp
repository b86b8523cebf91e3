#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/umad/registration.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace madrigal {

error explain_smp(error_code code, destination const& to, smp_question const& asked)
{
    auto what = fmt::format("{}({}{}) of {}", asked.ask == method::set ? "Set" : "Get",
        attribute_name(management_class::subnet_directed_route, asked.attribute_id),
        asked.modifier != 0 ? fmt::format(", {}", asked.modifier) : std::string{}, to_string(to));
    if (code == errc::timeout)
        what += asked.m_key == 0 ? " (asked without an M_Key; a port that is protected by one does not answer)"
                                 : " (asked with an M_Key; a port that is protected by another one does not answer)";
    return error{code, std::move(what)};
}

destination without_empty_route(destination const& to) noexcept
{
    if (to.type() != destination::kind::directed_route || to.route().hops() != 0)
        return to;
    // The part by LID that is left: the last one given says where the SMP ends.
    lid const end = !to.directed_to().is_permissive()     ? to.directed_to()
                    : !to.directed_from().is_permissive() ? to.to_lid()
                                                          : permissive_lid;
    if (end.is_permissive())
        return to;
    return destination{end}.with_sl(to.sl()).with_path_bits(to.path_bits());
}

result<smp_client> smp_client::open(port const& on, smp_options const& options)
{
    agent_options how;
    // Where most of what is sent is lost, nothing tells a full queue from links that are that bad: no fewer than these.
    auto const least = std::min(options.outstanding, 32U);
    how.window.size = options.adaptive ? least : options.outstanding;
    how.window.minimum = least;
    how.window.adaptive = options.adaptive;
    how.window.maximum = 4 * options.outstanding;
    how.per_destination = options.per_destination;
    how.retry.timeout = options.timeout;
    how.retry.retries = options.retries;
    BOOST_OUTCOME_TRY(auto registered, on.register_agent(umad::subnet_directed_route(), how));
    return smp_client{std::move(registered), options.keys};
}

} // namespace madrigal
