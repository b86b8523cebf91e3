// madrigal-bench: the runtime under load, beside the same work done in other ways.
#include "options.hpp"
#include "request_mode.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>

namespace {

namespace bench = madrigal::bench;

madrigal::result<void> run(bench::settings const& wanted)
{
    BOOST_OUTCOME_TRY(auto const on,
        wanted.host.empty() ? bench::socket_venue() : bench::port_venue(wanted.host, wanted.ca, wanted.port));
    return bench::run_request_mode(on, wanted);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN); // NOLINT(cert-err33-c): cannot fail for SIGPIPE
    auto const told = bench::parse(argc, argv);
    if (!told.wanted)
        return told.exit_code;
    if (auto const done = run(*told.wanted); !done) {
        fmt::print(stderr, "madrigal-bench: {}\n", done.error().message());
        return 1;
    }
    return 0;
}
