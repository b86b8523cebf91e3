// Would io_uring pay? The closed loop of `madrigal-bench request --peers raw`, with plain system calls and through
// io_uring.
#include "ring_transports.hpp"

#include "../load/closed_loop.hpp"
#include "../load/raw_transport.hpp"
#include "../load/series.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace madrigal::bench {
namespace {

struct way {
    std::string name;
    std::function<result<measured>(venue const&, load_options const&)> run;
    series rounds{};
};

template <class Transport>
result<measured> run(Transport& over, load_options const& options)
{
    if (auto const refused = over.open())
        return *refused;
    return closed_loop(over, options);
}

result<measured> through_calls(venue const& on, load_options const& options)
{
    return over_raw(on, waiting(options), [&](auto& over) { return closed_loop(over, options); });
}
result<measured> through_ring(venue const& on, load_options const& options)
{
    ring_calls over{on.socket(), {on, 0, waiting(options)}, options.window};
    return run(over, options);
}
result<measured> through_multishot(venue const& on, load_options const& options)
{
    if (on.echo) {
        ring_multishot over{on.socket(), true, {on, 0, waiting(options)}, options.window};
        return run(over, options);
    }
    BOOST_OUTCOME_TRY(auto opened, umad::open_port(*on.host, {.ca = on.port.ca_name, .port = on.port.number}));
    BOOST_OUTCOME_TRY(auto const agent, opened.file.register_agent(on.client));
    ring_multishot over{opened.file.native_handle(), false, {on, agent.id, waiting(options)}, options.window};
    return run(over, options);
}

result<void> compare(venue const& on, load_options const& options, unsigned rounds)
{
    std::vector<way> ways;
    ways.push_back({"calls", through_calls});
    if (on.echo)
        ways.push_back({"ring, poll and batches of reads", through_ring});
    ways.push_back({"ring, one read again and again", through_multishot});
    for (unsigned round = 0; round != rounds; ++round)
        for (auto& each : ways) {
            BOOST_OUTCOME_TRY(auto const done, each.run(on, options));
            each.rounds.add(done);
        }
    for (auto const& each : ways) {
        auto const pairs = ratios(each.rounds, ways.front().rounds);
        fmt::print("| {} | {} | {:.0f} | {:.2f} | {:.2f} to {:.2f} | {:.2f} | {:.2f} | {:.1f} | {:.1f} |\n",
            options.window, each.name, median(each.rounds.rates()), median(pairs),
            *std::min_element(pairs.begin(), pairs.end()), *std::max_element(pairs.begin(), pairs.end()),
            median(each.rounds.cpu()), cpu_ratio(each.rounds, ways.front().rounds), each.rounds.microseconds(0.5),
            each.rounds.microseconds(0.99));
        (void)std::fflush(stdout);
    }
    return outcome::success();
}

} // namespace
} // namespace madrigal::bench

int main(int argc, char** argv)
{
    using namespace madrigal::bench;
    CLI::App program{"The closed loop over a socket or a umad file, with system calls and through io_uring"};
    std::vector<unsigned> windows{1, 16, 64, 256};
    unsigned rounds = 9;
    load_options options;
    options.requests = 100'000;
    program.add_option("--window", windows, "Requests outstanding at a time")->delimiter(',');
    program.add_option("--rounds", rounds, "Runs of each way, alternating")->check(CLI::PositiveNumber);
    program.add_option("--requests", options.requests, "Answers measured in a run")->check(CLI::PositiveNumber);
    program.add_option("--warm-up", options.warm_up, "Answers before the measurement");
    std::string ca;
    unsigned port = 0;
    auto* const device = program.add_option("--ca", ca, "A umad file of this machine's kernel instead of the socket");
    program.add_option("--port", port, "Port of that CA")->needs(device);
    CLI11_PARSE(program, argc, argv);
    auto const on =
        ca.empty() ? socket_venue() : port_venue("linux", ca, port != 0 ? std::optional{port} : std::nullopt);
    if (!on) {
        fmt::print(stderr, "madrigal-bench-uring: {}\n", on.error().message());
        return 1;
    }
    fmt::print("| window | way | requests/s | ÷ calls | pairs | CPU us | ÷ calls | p50 us | p99 us |\n"
               "| ---: | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: |\n");
    for (auto const window : windows) {
        options.window = window;
        if (auto const done = compare(on.value(), options, rounds); !done) {
            fmt::print(stderr, "madrigal-bench-uring: {}\n", done.error().message());
            return 1;
        }
    }
    return 0;
}
