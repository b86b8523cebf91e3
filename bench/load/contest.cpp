#include "contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace madrigal::bench {

contest line_up(venue const& on, std::vector<std::string> const& names, peer::run peer::*what, load_options const& load)
{
    contest found;
    for (auto const& one : all_peers()) {
        if (std::find(names.begin(), names.end(), one.name) == names.end())
            continue;
        auto const run = one.*what;
        if (auto why = one.absent(on))
            found.absent.emplace_back(one.name, std::move(*why));
        else if (run == nullptr)
            found.absent.emplace_back(one.name, "it does no such work");
        else
            found.present.push_back(
                {std::string{one.name}, one.is_runtime, [run, &on, &load] { return run(on, load); }});
    }
    return found;
}

result<std::vector<series>> alternate(contest const& of, unsigned rounds)
{
    std::vector<series> all(of.present.size());
    for (unsigned round = 0; round != rounds; ++round)
        for (std::size_t i = 0; i != all.size(); ++i) {
            auto const& one = of.present[i];
            auto const done = one.run();
            if (!done) {
                auto const& context = done.error().context();
                return error{done.error().code(), context.empty() ? one.name : one.name + ": " + context};
            }
            all[i].add(done.value());
        }
    return all;
}

std::vector<load_report> print_results(load_report report, contest const& of, std::vector<series> const& rounds)
{
    report.absent = of.absent;
    for (std::size_t i = 0; i != rounds.size(); ++i)
        if (!of.present[i].is_runtime)
            report.others.emplace_back(of.present[i].name, rounds[i]);
    std::vector<load_report> all;
    for (std::size_t i = 0; i != rounds.size(); ++i) {
        if (!of.present[i].is_runtime)
            continue;
        report.mode = of.present[i].name;
        report.runtime = rounds[i];
        fmt::print("{}\n", to_json(report));
        (void)std::fflush(stdout);
        fmt::print(stderr, "{}\n", to_words(report));
        all.push_back(report);
    }
    return all;
}

load_report start_report(venue const& on, load_options const& load)
{
    load_report report;
    report.where = this_machine();
    report.options = load;
    if (on.echo) {
        report.on.socket_buffer = on.echo->buffer_size();
        report.on.socket_packets = on.echo->capacity();
    } else {
        report.on.host = on.host->uri();
        report.on.port = umad::port_name(on.port.ca_name, on.port.number);
        report.on.to = to_string(on.question.to);
        report.on.retries = load.retries;
    }
    return report;
}

result<void> check_window(venue const& on, unsigned window)
{
    if (on.echo && window > on.echo->capacity())
        return error{errc::invalid_argument,
            fmt::format("a window of {}: the socket holds {} packets; run as root, or raise net.core.wmem_max", window,
                on.echo->capacity())};
    return outcome::success();
}

} // namespace madrigal::bench
