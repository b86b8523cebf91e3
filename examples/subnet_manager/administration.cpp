#include "administration.hpp"

#include <madrigal/wire/class_capability.hpp>

namespace sm {

madrigal::result<void> open_administration(managed& known)
{
    using madrigal::sa_capability;
    using madrigal::sa_capability2;
    madrigal::sa_server_options options;
    options.sm_key = known.with.sm_key;
    options.at_once = known.with.sa_at_once;
    options.capability_mask = static_cast<std::uint16_t>(sa_capability::capability_mask2) |
                              static_cast<std::uint16_t>(sa_capability::multicast) |
                              static_cast<std::uint16_t>(sa_capability::optional_records) |
                              static_cast<std::uint16_t>(sa_capability::port_info_capability_match);
    options.capability_mask2 = static_cast<std::uint32_t>(sa_capability2::extended_speeds);
    BOOST_OUTCOME_TRY(known.administration, madrigal::sa_server::open(known.port, options));
    for (auto* const serve : {serve_found, serve_asked, serve_paths, serve_groups, serve_clients})
        serve(known.administration, known);
    return madrigal::outcome::success();
}

} // namespace sm
