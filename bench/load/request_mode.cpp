#include "request_mode.hpp"

#include "peers.hpp"
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace madrigal::bench {
namespace {

/// The peers asked for, in the order of `all_peers`, and those of them that cannot work here.
struct lineup {
    std::vector<peer> present;
    std::vector<std::pair<std::string, std::string>> absent;
};

lineup line_up(venue const& on, settings const& wanted)
{
    lineup found;
    for (auto const& one : all_peers()) {
        if (std::find(wanted.peers.begin(), wanted.peers.end(), one.name) == wanted.peers.end())
            continue;
        if (auto why = one.absent(on))
            found.absent.emplace_back(one.name, std::move(*why));
        else
            found.present.push_back(one);
    }
    return found;
}

place place_of(venue const& on, settings const& wanted)
{
    if (on.echo)
        return {.socket_buffer = on.echo->buffer_size(), .socket_packets = on.echo->capacity()};
    return {.host = wanted.host,
        .port = umad::port_name(on.port.ca_name, on.port.number),
        .to = to_string(on.question.to),
        .retries = wanted.load.retries};
}

result<void> check_window(venue const& on, unsigned window)
{
    if (on.echo && window > on.echo->capacity())
        return error{errc::invalid_argument,
            fmt::format("a window of {}: the socket holds {} packets; run as root, or raise net.core.wmem_max", window,
                on.echo->capacity())};
    return outcome::success();
}

/// All rounds of all peers, in their order.
result<std::vector<series>> measure(
    venue const& on, std::vector<peer> const& peers, load_options const& options, unsigned rounds)
{
    std::vector<series> all(peers.size());
    for (unsigned round = 0; round != rounds; ++round)
        for (std::size_t i = 0; i != peers.size(); ++i) {
            auto const done = peers[i].request(on, options);
            if (!done)
                return error{done.error().code(), fmt::format("{}: {}", peers[i].name, done.error().context())};
            all[i].add(done.value());
        }
    return all;
}

/// A line of results for each way in which the runtime was used.
void print_results(request_report report, std::vector<peer> const& peers, std::vector<series> const& rounds)
{
    for (std::size_t i = 0; i != peers.size(); ++i)
        if (!peers[i].is_runtime)
            report.others.emplace_back(peers[i].name, rounds[i]);
    for (std::size_t i = 0; i != peers.size(); ++i) {
        if (!peers[i].is_runtime)
            continue;
        report.mode = peers[i].name;
        report.runtime = rounds[i];
        fmt::print("{}\n", to_json(report));
        (void)std::fflush(stdout);
        fmt::print(stderr, "{}\n", to_words(report));
    }
}

} // namespace

result<void> run_request_mode(venue const& on, settings const& wanted)
{
    auto const peers = line_up(on, wanted);
    for (auto const window : wanted.windows) {
        BOOST_OUTCOME_TRY(check_window(on, window));
    }
    for (auto const window : wanted.windows) {
        request_report report;
        report.where = this_machine();
        report.on = place_of(on, wanted);
        report.absent = peers.absent;
        report.options = wanted.load;
        report.options.window = window;
        BOOST_OUTCOME_TRY(auto const rounds, measure(on, peers.present, report.options, wanted.rounds));
        print_results(std::move(report), peers.present, rounds);
    }
    return outcome::success();
}

} // namespace madrigal::bench
