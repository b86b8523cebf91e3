#include "options.hpp"

#include "peers.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace madrigal::bench {
namespace {

/// What the parser fills, before it is settled what it means.
struct given {
    settings wanted;
    double seconds = 0;
    unsigned timeout = 1'000;
    std::optional<unsigned> retries{};
    bool handlers = false;
    bool no_raw = false;
};

void add_load(CLI::App& to, given& into)
{
    auto const positive = CLI::Range(1U, std::numeric_limits<unsigned>::max());
    to.add_option("--window", into.wanted.windows, "requests outstanding at a time; a list gives a line for each")
        ->delimiter(',')
        ->check(CLI::Range(1U, 1U << 20))
        ->capture_default_str();
    auto* count = to.add_option("--requests", into.wanted.load.requests, "answers measured in each round")
                      ->check(positive)
                      ->capture_default_str();
    to.add_option("--seconds", into.seconds, "how long each round is measured, instead of a number of answers")
        ->check(CLI::Range(0.001, 86'400.0))
        ->excludes(count);
    to.add_option("--warm-up", into.wanted.load.warm_up, "answers before the measurement of each round")
        ->capture_default_str();
    to.add_option("--timeout", into.timeout,
          "milliseconds for each transmission of a request; over the socket the run has failed then")
        ->check(CLI::Range(1U, 3'600'000U))
        ->capture_default_str();
    to.add_option("--retries", into.retries, "how often the kernel of a port sends a request again (3)")
        ->check(CLI::Range(0U, 15U));
    to.add_option("--rounds", into.wanted.rounds, "rounds of each peer, alternating")
        ->check(CLI::Range(1U, 10'000U))
        ->capture_default_str();
}

void add_place(CLI::App& to, given& into)
{
    auto* host = to.add_option(
        "--host", into.wanted.host, "a port to itself instead of the socket: linux, or sim:FILE?configured");
    to.add_option("--ca", into.wanted.ca, "which adapter of the host")->needs(host);
    to.add_option("--port", into.wanted.port, "which port of it")->needs(host);
}

void add_peers(CLI::App& to, given& into)
{
    auto* peers = to.add_option("--peers", into.wanted.peers, "who does the work, of " + peer_names())->delimiter(',');
    peers->check([](std::string const& name) {
        auto const all = all_peers();
        bool const known = std::any_of(all.begin(), all.end(), [&](peer const& one) { return one.name == name; });
        return known ? std::string{} : "no peer '" + name + "': there are " + peer_names();
    });
    to.add_flag("--handlers", into.handlers, "completion handlers as clients instead of coroutines")->excludes(peers);
    to.add_flag("--no-raw", into.no_raw, "without the rounds of bare system calls")->excludes(peers);
}

settings settle(given from)
{
    auto& wanted = from.wanted;
    wanted.load.window = wanted.windows.front();
    wanted.load.timeout = std::chrono::milliseconds{from.timeout};
    wanted.load.retries = wanted.host.empty() ? 0 : from.retries.value_or(3);
    if (from.seconds > 0)
        wanted.load.seconds = from.seconds;
    if (wanted.peers.empty()) {
        if (!from.no_raw)
            wanted.peers.emplace_back("raw");
        wanted.peers.emplace_back("libibumad");
        wanted.peers.emplace_back(from.handlers ? "handlers" : "coroutines");
    }
    return std::move(wanted);
}

} // namespace

parsed parse(int argc, char const* const* argv)
{
    CLI::App app{"Puts load on the runtime and on others that do the same work; prints a line of JSON for each result, "
                 "and on standard error a line to read."};
    app.require_subcommand(1);
    given into;
    auto* request = app.add_subcommand(
        "request", "Requests and answers in a closed loop, over a socket to an echo process or over a port to itself");
    add_load(*request, into);
    add_place(*request, into);
    add_peers(*request, into);
    try {
        app.parse(argc, argv);
    } catch (CLI::ParseError const& failed) {
        return {std::nullopt, app.exit(failed) == 0 ? 0 : 2};
    }
    auto wanted = settle(std::move(into));
    auto const all = all_peers();
    bool const measures = std::any_of(all.begin(), all.end(), [&](peer const& one) {
        return one.is_runtime && std::find(wanted.peers.begin(), wanted.peers.end(), one.name) != wanted.peers.end();
    });
    if (!measures) {
        fmt::print(
            stderr, "madrigal-bench: --peers needs coroutines or handlers, which the others are compared with\n");
        return {std::nullopt, 2};
    }
    return {std::move(wanted), 0};
}

} // namespace madrigal::bench
