#include "json.hpp"

#include "heap_counter.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace madrigal::bench {
namespace {

#ifdef NDEBUG
constexpr bool optimised = true;
#else
constexpr bool optimised = false;
#endif

/// Null where no latencies were taken.
std::string microseconds(series const& of, double share)
{
    return of.all().latencies.count() != 0 ? fmt::format("{:.2f}", of.microseconds(share)) : "null";
}

} // namespace

std::string json_quoted(std::string const& text)
{
    return boost::json::serialize(boost::json::string{text});
}

std::string json_key(std::string name)
{
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::string json_members(series const& of)
{
    auto const& all = of.all();
    auto const allocated = counts_allocations() ? fmt::format("{:.4f}", all.allocations_each()) : "null";
    auto const instructions = all.instructions_each();
    auto const [slowest, fastest] = std::minmax_element(of.rates().begin(), of.rates().end());
    bool const none = of.rates().empty();
    return fmt::format(R"("rate":{:.0f},"rate_min":{:.0f},"rate_max":{:.0f},"p50_us":{},"p99_us":{},)"
                       R"("p99_9_us":{},"max_us":{},"allocations_per_request":{},"cpu_us_per_request":{:.3f},)"
                       R"("instructions_per_request":{},"lost":{})",
        median(of.rates()), none ? 0 : *slowest, none ? 0 : *fastest, microseconds(of, 0.5), microseconds(of, 0.99),
        microseconds(of, 0.999), microseconds(of, 1), allocated, median(of.cpu()),
        instructions ? fmt::format("{:.0f}", *instructions) : "null", all.lost);
}

std::string json_members(machine const& where)
{
    return fmt::format(R"("machine":{{"cpu":{},"cores":{},"kernel":{}}},"optimised":{})", json_quoted(where.cpu),
        where.cores, json_quoted(where.kernel), optimised);
}

std::string json_members(place const& on)
{
    if (on.host.empty())
        return fmt::format(R"("socket_buffer_bytes":{},"socket_packets":{})", on.socket_buffer, on.socket_packets);
    return fmt::format(R"("host":{},"port":{},"to":{},"retries":{})", json_quoted(on.host), json_quoted(on.port),
        json_quoted(on.to), on.retries);
}

} // namespace madrigal::bench
