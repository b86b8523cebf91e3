// madrigal-bench: the runtime under load, beside the same work done in other ways.
#include "modes.hpp"
#include "options.hpp"
#include "plot.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <sys/prctl.h>

namespace {

namespace bench = madrigal::bench;

madrigal::result<std::vector<bench::load_report>> measure(bench::venue const& on, bench::settings const& wanted)
{
    switch (wanted.mode) {
    case bench::mode::send: return run_send_mode(on, wanted);
    case bench::mode::open: return run_open_mode(on, wanted);
    case bench::mode::table:
    case bench::mode::request: break;
    }
    return run_request_mode(on, wanted);
}

madrigal::result<void> run(bench::settings const& wanted)
{
    BOOST_OUTCOME_TRY(auto const on,
        wanted.host.empty() ? bench::socket_venue() : bench::port_venue(wanted.host, wanted.ca, wanted.port));
    if (wanted.mode == bench::mode::table)
        return run_table_mode(on, wanted);
    if (wanted.outstanding != 0)
        return run_outstanding_mode(on, wanted);
    BOOST_OUTCOME_TRY(auto const reports, measure(on, wanted));
    if (wanted.plot.empty())
        return madrigal::outcome::success();
    return plot(reports, wanted.plot);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN); // NOLINT(cert-err33-c): cannot fail for SIGPIPE
    // Timers wake their sleepers 50 us late otherwise, all peers' alike.
    (void)::prctl(PR_SET_TIMERSLACK, 1);
    auto const told = bench::parse(argc, argv);
    if (!told.wanted)
        return told.exit_code;
    if (auto const done = run(*told.wanted); !done) {
        fmt::print(stderr, "madrigal-bench: {}\n", done.error().message());
        return 1;
    }
    return 0;
}
