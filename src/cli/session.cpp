#include "cli/session.hpp"

#include "cli/host.hpp"

#include <madrigal/umad/catalogue.hpp>

#include <spdlog/spdlog.h>

namespace madrigal::cli {

result<std::unique_ptr<session>> session::open(host_arguments const& wanted)
{
    BOOST_OUTCOME_TRY(auto host, open_host(wanted));
    std::unique_ptr<session> made{new session{std::move(host)}};
    reactor const reactor{made->loop_, *made->host_};
    BOOST_OUTCOME_TRY(made->port_, reactor.open(wanted.selector()));
    return made;
}

void session::announce() const
{
    auto const& own = port_.attributes();
    spdlog::info("going through {} of {}", umad::port_name(own.ca_name, own.number), host_->uri());
}

} // namespace madrigal::cli
