#include "cli/session.hpp"

#include "cli/complain.hpp"
#include "cli/exit_code.hpp"
#include "cli/host.hpp"

#include <madrigal/umad/catalogue.hpp>

#include <madrigal/hosts/host_uri.hpp>

#include <spdlog/spdlog.h>

#include <filesystem>
#include <system_error>

namespace madrigal::cli {

result<std::unique_ptr<session>> session::open(host_arguments const& wanted)
{
    BOOST_OUTCOME_TRY(auto host, open_host(wanted));
    std::unique_ptr<session> made{new session{std::move(host)}};
    reactor const reactor{made->loop_, *made->host_};
    BOOST_OUTCOME_TRY(made->port_, reactor.open(wanted.selector()));
    // Last: an older capture is lost only where there will be a new one.
    if (!wanted.pcap.empty()) {
        auto const uri = parse_host_uri(wanted.host);
        std::error_code unknown;
        if (uri && !uri.value().path.empty() && std::filesystem::equivalent(uri.value().path, wanted.pcap, unknown))
            return error{errc::invalid_argument, "--pcap " + wanted.pcap + " is the fabric itself"};
        BOOST_OUTCOME_TRY(made->capture_, pcap_file::create(wanted.pcap));
        made->port_.tap(made->capture_->sink());
    }
    return made;
}

void session::announce() const
{
    auto const& own = port_.attributes();
    spdlog::info("going through {} of {}", umad::port_name(own.ca_name, own.number), host_->uri());
}

int session::conclude(int exit_code)
{
    if (!capture_)
        return exit_code;
    port_.tap({});
    auto const written = capture_->close();
    if (written) {
        spdlog::info("{} packets captured", capture_->packets());
        return exit_code;
    }
    complain("the capture is incomplete: " + written.error().message());
    return exit_code == success ? failed_operation : exit_code;
}

} // namespace madrigal::cli
