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

std::string members(series const& of)
{
    auto const& all = of.all();
    auto const allocated = counts_allocations() ? fmt::format("{:.4f}", all.allocations_each()) : "null";
    auto const [slowest, fastest] = std::minmax_element(of.rates().begin(), of.rates().end());
    return fmt::format(R"("rate":{:.0f},"rate_min":{:.0f},"rate_max":{:.0f},"p50_us":{:.2f},"p99_us":{:.2f},)"
                       R"("p99_9_us":{:.2f},"max_us":{:.2f},"allocations_per_request":{},"cpu_us_per_request":{:.3f})",
        median(of.rates()), *slowest, *fastest, microseconds(all.latencies, 0.5), microseconds(all.latencies, 0.99),
        microseconds(all.latencies, 0.999), microseconds(all.latencies, 1), allocated, all.cpu_microseconds());
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

std::string to_json(request_report const& report)
{
    auto line = fmt::format(
        R"({{"benchmark":"request","machine":{{"cpu":{},"cores":{},"kernel":{}}},"optimised":{},"mode":"{}","window":{},)"
        R"("timeout_ms":{},"warm_up":{},"rounds":{},"requests":{},"socket_buffer_bytes":{},"socket_packets":{},{})",
        quoted(report.where.cpu), report.where.cores, quoted(report.where.kernel), optimised,
        report.style == client_style::coroutines ? "coroutines" : "handlers", report.options.window,
        report.options.timeout.count(), report.options.warm_up, report.runtime.rates().size(),
        report.runtime.all().requests, report.socket_buffer, report.socket_packets, members(report.runtime));
    if (auto const& floor = report.raw.rates(); !floor.empty()) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i != floor.size(); ++i)
            ratios.push_back(floor[i] > 0 ? report.runtime.rates()[i] / floor[i] : 0);
        line += fmt::format(R"(,"raw":{{{}}},"ratio":{:.3f},"ratios":[{:.3f}])", members(report.raw), median(ratios),
            fmt::join(ratios, ","));
    }
    return line + '}';
}

} // namespace madrigal::bench
