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

/// How much is done, in all modes.
void add_amount(CLI::App& to, given& into, std::string const& what)
{
    auto* count = to.add_option("--requests", into.wanted.load.requests, what + " measured in each round")
                      ->check(CLI::Range(1U, std::numeric_limits<unsigned>::max()))
                      ->capture_default_str();
    to.add_option("--seconds", into.seconds, "how long each round is measured, instead of a number of " + what)
        ->check(CLI::Range(0.001, 86'400.0))
        ->excludes(count);
    to.add_option("--warm-up", into.wanted.load.warm_up, what + " before the measurement of each round")
        ->capture_default_str();
    to.add_option("--rounds", into.wanted.rounds, "rounds of each peer, alternating")
        ->check(CLI::Range(1U, 10'000U))
        ->capture_default_str();
}

void add_waiting(CLI::App& to, given& into)
{
    to.add_option("--timeout", into.timeout,
          "milliseconds for each transmission of a request; over the socket the run has failed then")
        ->check(CLI::Range(1U, 3'600'000U))
        ->capture_default_str();
    to.add_option("--retries", into.retries, "how often the kernel of a port sends a request again (3)")
        ->check(CLI::Range(0U, 15U));
}

void add_window(CLI::App& to, given& into, std::string const& preset)
{
    to.add_option("--window", into.wanted.windows,
          "requests outstanding at a time; a list gives a line of results for each (" + preset + ")")
        ->delimiter(',')
        ->check(CLI::Range(1U, 1U << 20));
}

CLI::Option* add_rate(CLI::App& to, given& into, std::string const& text)
{
    return to.add_option("--rate", into.wanted.rates, text + "; a list gives a line of results for each")
        ->delimiter(',')
        ->check(CLI::Range(0.1, 1e8));
}

void add_producers(CLI::App& to, given& into)
{
    to.add_option("--producers", into.wanted.load.producers,
          "threads that submit to the runtime from outside its loop; 0: the loop does")
        ->check(CLI::Range(0U, 256U))
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

void add_plot(CLI::App& to, given& into)
{
    to.add_option("--plot", into.wanted.plot, "draws the results into FILE.svg or FILE.png with gnuplot");
}

void add_request(CLI::App& app, given& into)
{
    auto* request = app.add_subcommand(
        "request", "Requests and answers in a closed loop, over a socket to an echo process or over a port to itself");
    request->callback([&into] { into.wanted.mode = mode::request; });
    add_window(*request, into, "64");
    add_amount(*request, into, "answers");
    add_waiting(*request, into);
    add_producers(*request, into);
    request
        ->add_option("--outstanding", into.wanted.outstanding,
            "what a request costs while the echo process holds so many others")
        ->check(CLI::Range(1U, 900'000U));
    add_place(*request, into);
    add_peers(*request, into);
    add_plot(*request, into);
}

void add_send(CLI::App& app, given& into)
{
    auto* send = app.add_subcommand("send", "Sends that want no answer, as fast as possible or at a rate");
    send->callback([&into] { into.wanted.mode = mode::send; });
    add_rate(*send, into, "sends a second (as fast as possible)");
    add_amount(*send, into, "sends");
    add_producers(*send, into);
    add_place(*send, into);
    add_peers(*send, into);
    add_plot(*send, into);
}

void add_open(CLI::App& app, given& into)
{
    auto* open = app.add_subcommand("open",
        "Requests at a rate, whether answers come or not; latencies count from the time at which a request was due");
    open->callback([&into] { into.wanted.mode = mode::open; });
    auto* rate = add_rate(*open, into, "requests a second");
    open->add_option("--share", into.wanted.shares,
            "rates as shares of what raw reaches in a closed loop; a list gives a line of results for each (0.5)")
        ->delimiter(',')
        ->check(CLI::Range(0.001, 10.0))
        ->excludes(rate);
    add_window(*open, into, "1024");
    add_amount(*open, into, "answers");
    add_waiting(*open, into);
    add_place(*open, into);
    add_peers(*open, into);
    add_plot(*open, into);
}

void add_table(CLI::App& app, given& into)
{
    auto* table = app.add_subcommand("table", "What the targets of the hot path ask for, as tables");
    // Its own presets, which the other modes' options do not show.
    table->preparse_callback([&into](std::size_t) {
        into.wanted.mode = mode::table;
        into.wanted.rounds = 9;
        into.wanted.load.requests = 40'000;
        into.wanted.load.warm_up = 5'000;
        into.wanted.outstanding = 100'000;
    });
    table->add_option("--requests", into.wanted.load.requests, "answers measured in each round (40000)")
        ->check(CLI::Range(1U, std::numeric_limits<unsigned>::max()));
    table->add_option("--warm-up", into.wanted.load.warm_up, "answers before the measurement of each round (5000)");
    table->add_option("--outstanding", into.wanted.outstanding, "how many the echo process holds (100000)")
        ->check(CLI::Range(1U, 900'000U));
    table->add_option("--rounds", into.wanted.rounds, "rounds of each peer, alternating (9)")
        ->check(CLI::Range(1U, 10'000U));
}

settings settle(given from)
{
    auto& wanted = from.wanted;
    if (wanted.windows.empty())
        wanted.windows.push_back(wanted.mode == mode::open ? 1'024 : 64);
    if (wanted.shares.empty())
        wanted.shares.push_back(0.5);
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

/// What the parser cannot say; empty where all is well.
std::string contradiction(settings const& wanted)
{
    auto const all = all_peers();
    bool const measures = std::any_of(all.begin(), all.end(), [&](peer const& one) {
        return one.is_runtime && std::find(wanted.peers.begin(), wanted.peers.end(), one.name) != wanted.peers.end();
    });
    if (!measures)
        return "--peers needs coroutines or handlers, which the others are compared with";
    if (wanted.mode == mode::send && wanted.load.producers != 0 && wanted.load.seconds)
        return "--seconds: producers send a number of MADs, --requests";
    if (wanted.outstanding != 0 && !wanted.plot.empty())
        return "--outstanding gives a single point, which --plot cannot draw";
    if (wanted.outstanding != 0 && wanted.load.producers != 0)
        return "--outstanding and --producers do not go together";
    return {};
}

} // namespace

parsed parse(int argc, char const* const* argv)
{
    CLI::App app{"Puts load on the runtime and on others that do the same work; prints a line of JSON for each result, "
                 "and on standard error a line to read."};
    app.require_subcommand(1);
    given into;
    add_request(app, into);
    add_send(app, into);
    add_open(app, into);
    add_table(app, into);
    try {
        app.parse(argc, argv);
    } catch (CLI::ParseError const& failed) {
        return {std::nullopt, app.exit(failed) == 0 ? 0 : 2};
    }
    auto wanted = settle(std::move(into));
    if (auto const wrong = contradiction(wanted); !wrong.empty()) {
        fmt::print(stderr, "madrigal-bench: {}\n", wrong);
        return {std::nullopt, 2};
    }
    return {std::move(wanted), 0};
}

} // namespace madrigal::bench
