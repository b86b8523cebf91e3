#include "report.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace madrigal::bench {
namespace {

#ifdef NDEBUG
constexpr bool optimised = true;
#else
constexpr bool optimised = false;
#endif

std::string quoted(std::string const& text)
{
    return boost::json::serialize(boost::json::string{text});
}

double microseconds(latency_histogram const& of, double share)
{
    return std::chrono::duration<double, std::micro>(of.percentile(share)).count();
}

std::string or_null(std::optional<double> value)
{
    return value ? fmt::format("{:.0f}", *value) : "null";
}

std::string members(series const& of)
{
    auto const& all = of.all();
    auto const allocated = counts_allocations() ? fmt::format("{:.4f}", all.allocations_each()) : "null";
    auto const [slowest, fastest] = std::minmax_element(of.rates().begin(), of.rates().end());
    return fmt::format(R"("rate":{:.0f},"rate_min":{:.0f},"rate_max":{:.0f},"p50_us":{:.2f},"p99_us":{:.2f},)"
                       R"("p99_9_us":{:.2f},"max_us":{:.2f},"allocations_per_request":{},"cpu_us_per_request":{:.3f},)"
                       R"("instructions_per_request":{},"lost":{})",
        median(of.rates()), *slowest, *fastest, microseconds(all.latencies, 0.5), microseconds(all.latencies, 0.99),
        microseconds(all.latencies, 0.999), microseconds(all.latencies, 1), allocated, all.cpu_microseconds(),
        or_null(all.instructions_each()), all.lost);
}

std::string place_members(place const& on)
{
    if (on.host.empty())
        return fmt::format(R"("socket_buffer_bytes":{},"socket_packets":{})", on.socket_buffer, on.socket_packets);
    return fmt::format(
        R"("host":{},"port":{},"to":{},"retries":{})", quoted(on.host), quoted(on.port), quoted(on.to), on.retries);
}

/// A peer's name as a member of an object.
std::string key(std::string name)
{
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

/// Nanoseconds of CPU time that a request of the runtime costs more.
double extra_cpu_ns(request_report const& report, series const& than)
{
    return 1e3 * (report.runtime.all().cpu_microseconds() - than.all().cpu_microseconds());
}

} // namespace

double median(std::vector<double> values) noexcept
{
    if (values.empty())
        return 0;
    auto const half = values.size() / 2;
    std::sort(values.begin(), values.end());
    return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<double> ratios(series const& of, series const& to)
{
    std::vector<double> all;
    for (std::size_t i = 0; i != std::min(of.rates().size(), to.rates().size()); ++i)
        all.push_back(to.rates()[i] > 0 ? of.rates()[i] / to.rates()[i] : 0);
    return all;
}

std::string to_json(request_report const& report)
{
    auto line = fmt::format(
        R"({{"benchmark":"request","machine":{{"cpu":{},"cores":{},"kernel":{}}},"optimised":{},"mode":{},"window":{},)"
        R"("timeout_ms":{},"warm_up":{},"rounds":{},"requests":{},{},{})",
        quoted(report.where.cpu), report.where.cores, quoted(report.where.kernel), optimised, quoted(report.mode),
        report.options.window, report.options.timeout.count(), report.options.warm_up, report.runtime.rates().size(),
        report.runtime.all().requests, place_members(report.on), members(report.runtime));
    for (auto const& [name, floor] : report.others) {
        auto const each = ratios(report.runtime, floor);
        line += fmt::format(R"(,"{}":{{{},"ratio":{:.3f},"extra_cpu_ns":{:.0f}}})", key(name), members(floor),
            median(each), extra_cpu_ns(report, floor));
        auto const suffix = name == "raw" ? std::string{} : '_' + key(name);
        line += fmt::format(R"(,"ratio{0}":{1:.3f},"ratios{0}":[{2:.3f}])", suffix, median(each), fmt::join(each, ","));
    }
    for (auto const& [name, why] : report.absent)
        line += fmt::format(R"(,"{}":null,"{}_absent":{})", key(name), key(name), quoted(why));
    return line + '}';
}

std::string to_words(request_report const& report)
{
    auto const one = [](std::string_view name, series const& of) {
        auto const lost = of.all().lost;
        return fmt::format("{} {:.0f}/s p99 {:.0f} us{}", name, median(of.rates()),
            microseconds(of.all().latencies, 0.99), lost != 0 ? fmt::format(" ({} lost)", lost) : "");
    };
    auto line = fmt::format("window {:>4}: {}", report.options.window, one(report.mode, report.runtime));
    for (auto const& [name, floor] : report.others)
        line += "; " + one(name, floor);
    for (auto const& [name, floor] : report.others)
        line += fmt::format("; ÷ {} {:.2f}", name, median(ratios(report.runtime, floor)));
    for (auto const& [name, why] : report.absent)
        line += fmt::format("; no {}: {}", name, why);
    return line;
}

} // namespace madrigal::bench
