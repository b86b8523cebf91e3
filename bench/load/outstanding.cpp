#include "outstanding.hpp"

#include "contest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace madrigal::bench {

double outstanding_costs::cost_ratio() const
{
    return cpu_ratio(many, few);
}

double outstanding_costs::bytes_each(unsigned count) const noexcept
{
    return count != 0 ? static_cast<double>(many.all().heap_bytes) / count : 0;
}

result<outstanding_report> measure_outstanding(venue const& on, settings const& wanted)
{
    if (!on.echo)
        return error{errc::invalid_argument, "--outstanding: only an echo process can hold requests"};
    outstanding_report report;
    auto const common = start_report(on, wanted.load);
    report.where = common.where;
    report.on = common.on;
    report.options = wanted.load;
    report.outstanding = wanted.outstanding;
    BOOST_OUTCOME_TRY(check_window(on, wanted.load.window));

    auto few = wanted.load;
    // The oldest of so many has waited for long, on a slow machine for very long.
    few.timeout = std::max(few.timeout, std::chrono::milliseconds{60'000});
    auto many = few;
    many.window += wanted.outstanding;
    many.weigh = true;
    many.at_end = [&echo = *on.echo] { echo.hold(0); };
    auto peers = line_up(on, wanted.peers, &peer::request, few);
    auto const held = line_up(on, wanted.peers, &peer::request, many);
    auto const count = peers.present.size();
    for (auto const& one : held.present)
        peers.present.push_back({one.name, one.is_runtime, [&one, &on, &wanted] {
                                     on.echo->hold(wanted.outstanding);
                                     return one.run();
                                 }});
    BOOST_OUTCOME_TRY(auto const rounds, alternate(peers, wanted.rounds));
    report.absent = peers.absent;
    for (std::size_t i = 0; i != count; ++i)
        report.peers.push_back({peers.present[i].name, peers.present[i].is_runtime, rounds[i], rounds[count + i]});
    return report;
}

std::string to_json(outstanding_report const& report)
{
    auto line =
        fmt::format(R"({{"benchmark":"outstanding",{},"window":{},"outstanding":{},"rounds":{},"warm_up":{},{})",
            json_members(report.where), report.options.window, report.outstanding,
            report.peers.empty() ? 0 : report.peers.front().few.rates().size(), report.options.warm_up,
            json_members(report.on));
    for (auto const& one : report.peers)
        line += fmt::format(R"(,"{}":{{"few":{{{}}},"many":{{{}}},"cost_ratio":{:.3f},"bytes_per_request":{:.0f}}})",
            json_key(one.name), json_members(one.few), json_members(one.many), one.cost_ratio(),
            one.bytes_each(report.outstanding + report.options.window));
    for (auto const& [name, why] : report.absent)
        line += fmt::format(R"(,"{0}":null,"{0}_absent":{1})", json_key(name), json_quoted(why));
    return line + '}';
}

std::string to_words(outstanding_report const& report)
{
    auto line =
        fmt::format("{} outstanding, CPU time of a request against {}:", report.outstanding, report.options.window);
    for (auto const& one : report.peers)
        line += fmt::format(" {} {:.2f} us = {:.2f} times, {:.0f} bytes each;", one.name, median(one.many.cpu()),
            one.cost_ratio(), one.bytes_each(report.outstanding + report.options.window));
    line.pop_back();
    for (auto const& [name, why] : report.absent)
        line += "; without " + name;
    return line;
}

} // namespace madrigal::bench
