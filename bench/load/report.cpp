#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace madrigal::bench {
namespace {

std::string words(std::string_view name, series const& of)
{
    auto text = fmt::format("{} {:.0f}/s", name, median(of.rates()));
    if (of.all().latencies.count() != 0)
        text += fmt::format(" p99 {:.0f} us", of.microseconds(0.99));
    if (of.all().lost != 0)
        text += fmt::format(" ({} lost)", of.all().lost);
    return text;
}

std::string load_in_words(load_report const& report)
{
    auto const& load = report.options;
    auto text = report.benchmark;
    if (report.benchmark != "send")
        text += fmt::format(" window {:>4}", load.window);
    if (load.rate > 0)
        text += fmt::format(" at {:.0f}/s", load.rate);
    if (load.producers != 0)
        text += fmt::format(" from {} threads", load.producers);
    return text;
}

} // namespace

std::string to_json(load_report const& report)
{
    auto const& load = report.options;
    auto line = fmt::format(R"({{"benchmark":{},{},"mode":{},"window":{},"target_rate":{},"producers":{},)"
                            R"("timeout_ms":{},"warm_up":{},"rounds":{},"requests":{},{},{})",
        json_quoted(report.benchmark), json_members(report.where), json_quoted(report.mode), load.window,
        load.rate > 0 ? fmt::format("{:.0f}", load.rate) : "null", load.producers, load.timeout.count(), load.warm_up,
        report.runtime.rates().size(), report.runtime.all().requests, json_members(report.on),
        json_members(report.runtime));
    for (auto const& [name, floor] : report.others) {
        auto const each = ratios(report.runtime, floor);
        line += fmt::format(R"(,"{}":{{{},"ratio":{:.3f},"extra_cpu_ns":{:.0f},"p99_ratio":{:.3f}}})", json_key(name),
            json_members(floor), median(each), extra_cpu_ns(report.runtime, floor), p99_ratio(report.runtime, floor));
        auto const suffix = name == "raw" ? std::string{} : '_' + json_key(name);
        line += fmt::format(R"(,"ratio{0}":{1:.3f},"ratios{0}":[{2:.3f}])", suffix, median(each), fmt::join(each, ","));
    }
    for (auto const& [name, why] : report.absent)
        line += fmt::format(R"(,"{0}":null,"{0}_absent":{1})", json_key(name), json_quoted(why));
    return line + '}';
}

std::string to_words(load_report const& report)
{
    auto line = fmt::format("{}: {}", load_in_words(report), words(report.mode, report.runtime));
    for (auto const& [name, floor] : report.others)
        line += "; " + words(name, floor);
    for (auto const& [name, floor] : report.others)
        line += fmt::format("; ÷ {} {:.2f}", name, median(ratios(report.runtime, floor)));
    for (auto const& [name, why] : report.absent) // the JSON tells why
        line += "; without " + name;
    return line;
}

} // namespace madrigal::bench
