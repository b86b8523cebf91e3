// madrigal-bench: the runtime under load, beside the same work done by bare system calls.
#include "echo_process.hpp"
#include "report.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <limits>

namespace {

namespace bench = madrigal::bench;

struct settings {
    bench::load_options load;
    unsigned rounds = 5;
    bool handlers = false;
    bool no_raw = false;
};

madrigal::result<bench::request_report> measure(settings const& wanted)
{
    BOOST_OUTCOME_TRY(auto const echo, bench::echo_process::start());
    if (wanted.load.window > echo.capacity())
        return madrigal::error{madrigal::errc::invalid_argument,
            fmt::format("a window of {}: the socket holds {} packets; run as root, or raise net.core.wmem_max",
                wanted.load.window, echo.capacity())};
    bench::request_report report;
    report.where = bench::this_machine();
    report.options = wanted.load;
    report.style = wanted.handlers ? bench::client_style::handlers : bench::client_style::coroutines;
    report.socket_buffer = echo.buffer_size();
    report.socket_packets = echo.capacity();
    for (unsigned round = 0; round != wanted.rounds; ++round) {
        if (!wanted.no_raw) {
            BOOST_OUTCOME_TRY(auto const raw, bench::run_raw_loop(echo.descriptor(), wanted.load));
            report.raw.add(raw);
        }
        BOOST_OUTCOME_TRY(auto const runtime, bench::run_runtime_loop(echo.descriptor(), wanted.load, report.style));
        report.runtime.add(runtime);
    }
    return report;
}

int run(settings const& wanted)
{
    auto const report = measure(wanted);
    if (!report) {
        fmt::print(stderr, "madrigal-bench: {}\n", report.error().message());
        return 1;
    }
    fmt::print("{}\n", to_json(report.value()));
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN); // NOLINT(cert-err33-c): cannot fail for SIGPIPE
    CLI::App app{"Puts load on the runtime and prints one line of JSON for each run."};
    app.require_subcommand(1);
    settings wanted;
    double seconds = 0;
    auto* request = app.add_subcommand("request",
        "Requests and answers in a closed loop, over a socket to an echo process, alternating with bare system calls");
    auto const positive = CLI::Range(1U, std::numeric_limits<unsigned>::max());
    request->add_option("--window", wanted.load.window, "requests outstanding at a time")
        ->check(CLI::Range(1U, 1U << 20))
        ->capture_default_str();
    auto* count = request->add_option("--requests", wanted.load.requests, "answers measured in each round")
                      ->check(positive)
                      ->capture_default_str();
    request->add_option("--seconds", seconds, "how long each round is measured, instead of a number of answers")
        ->check(CLI::Range(0.001, 86'400.0))
        ->excludes(count);
    request->add_option("--warm-up", wanted.load.warm_up, "answers before the measurement of each round")
        ->capture_default_str();
    unsigned timeout = static_cast<unsigned>(wanted.load.timeout.count());
    request->add_option("--timeout", timeout, "milliseconds without an answer after which the run has failed")
        ->check(CLI::Range(1U, 3'600'000U))
        ->capture_default_str();
    request->add_option("--rounds", wanted.rounds, "rounds of each kind, alternating")
        ->check(CLI::Range(1U, 10'000U))
        ->capture_default_str();
    request->add_flag("--handlers", wanted.handlers, "completion handlers as clients instead of coroutines");
    request->add_flag("--no-raw", wanted.no_raw, "without the rounds of bare system calls");
    try {
        app.parse(argc, argv);
    } catch (CLI::ParseError const& failed) {
        return app.exit(failed) == 0 ? 0 : 2;
    }
    wanted.load.timeout = std::chrono::milliseconds{timeout};
    if (seconds > 0)
        wanted.load.seconds = seconds;
    return run(wanted);
}
