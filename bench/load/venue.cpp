#include "venue.hpp"

#include "socket_host.hpp"

#include <madrigal/hosts/open_host.hpp>
#include <madrigal/umad/catalogue.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/ping.hpp>
#include <madrigal/wire/smp.hpp>

#include <algorithm>

namespace madrigal::bench {
namespace {

/// The port's own address.
result<destination> own_address(umad::port_attributes const& port)
{
    if (port.layer != umad::link_layer::ethernet) {
        if (port.base_lid == lid{})
            return error{errc::no_usable_port,
                umad::port_name(port.ca_name, port.number) + " has no LID: a subnet manager gives it one"};
        return destination{port.base_lid};
    }
    auto const first = std::find_if(port.gids.begin(), port.gids.end(), [](gid const& one) { return one != gid{}; });
    if (first == port.gids.end())
        return error{
            errc::no_usable_port, umad::port_name(port.ca_name, port.number) + " has no GID: give its interface one"};
    auto const index = static_cast<std::uint8_t>(first - port.gids.begin());
    return destination{global_route{.destination = *first, .source_gid_index = index}, lid{}};
}

} // namespace

result<venue> socket_venue()
{
    BOOST_OUTCOME_TRY(auto echo, echo_process::start());
    auto host = std::make_shared<socket_host>(echo.descriptor());
    BOOST_OUTCOME_TRY(auto port, umad::select_port(*host));
    directed_route const way{0, 1};
    raw_mad question{way, {}};
    build_directed_route_smp(question.bytes, method::get, 0, node_info::layout.id, 0, 0, way);
    return venue{std::move(host), std::move(port), umad::subnet_directed_route(), question, std::move(echo), {}};
}

result<venue> port_venue(std::string const& uri, std::string const& ca, std::optional<unsigned> number)
{
    BOOST_OUTCOME_TRY(auto host, open_host(uri));
    BOOST_OUTCOME_TRY(auto port, umad::select_port(*host, {.ca = ca, .port = number}));
    BOOST_OUTCOME_TRY(auto const to, own_address(port));
    auto const client = umad::vendor_class(static_cast<std::uint8_t>(ping_class), umad::openib_oui);
    umad::port_selector const where{.ca = port.ca_name, .port = port.number};
    auto responder = host->uri().starts_with("sim:") ? start_thread_responder(*host, where, client)
                                                     : start_process_responder(*host, where, client);
    if (!responder)
        return responder.error();
    raw_mad question{to, {}};
    build_ping(question.bytes);
    return venue{std::move(host), std::move(port), client, question, {}, std::move(responder).value()};
}

} // namespace madrigal::bench
