#include <madrigal/hosts/fabric_source.hpp>
#include <madrigal/hosts/host_uri.hpp>
#include <madrigal/topology/ibnetdiscover_reader.hpp>

#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

namespace madrigal {
namespace {

error wrong(std::string what)
{
    return {errc::malformed_uri, std::move(what)};
}

/// What stands at the front of `text`, in so far as it is a number.
template <class Number>
std::errc read_number(std::string_view text, Number& number, std::string_view& rest) noexcept
{
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    rest = text.substr(static_cast<std::size_t>(end - text.data()));
    return failure;
}

error too_large(std::string_view name, std::string_view text, std::string_view highest)
{
    return wrong(std::string{name} + " '" + std::string{text} + "' is too large: at most " + std::string{highest});
}

result<std::uint64_t> whole_number(std::string_view name, std::string_view text)
{
    std::uint64_t number = 0;
    std::string_view rest;
    auto const failure = read_number(text, number, rest);
    if (failure == std::errc::result_out_of_range && rest.empty())
        return too_large(name, text, std::to_string(UINT64_MAX));
    if (failure != std::errc{} || !rest.empty())
        return wrong(std::string{name} + " must be a whole number, not '" + std::string{text} + "'");
    return number;
}

result<double> probability(std::string_view name, std::string_view text)
{
    double number = 0;
    std::string_view rest;
    if (read_number(text, number, rest) != std::errc{} || !rest.empty() || !(number >= 0 && number <= 1))
        return wrong(std::string{name} + " must be a number from 0 to 1, not '" + std::string{text} + "'");
    return number;
}

std::optional<double> nanoseconds_of(std::string_view unit) noexcept
{
    if (unit == "ns")
        return 1;
    if (unit == "us")
        return 1e3;
    if (unit == "ms")
        return 1e6;
    if (unit == "s")
        return 1e9;
    return std::nullopt;
}

std::string place_and_reason(std::string const& file, topology::passed_over const& what)
{
    // Line 0 is the file as a whole.
    return file + (what.line == 0 ? "" : ":" + std::to_string(what.line)) + ": " + what.reason;
}

void tell_passed_over(std::string const& file, topology::read_outcome const& read, open_host_options const& options)
{
    auto const& listed = read.passed_over;
    if (listed.empty())
        return;
    if (options.on_note)
        options.on_note(file + ": " +
                        (read.passed_over_total == 1
                                ? "1 line passed over, at "
                                : std::to_string(read.passed_over_total) + " lines passed over, the first at ") +
                        place_and_reason(file, listed.front()));
    if (options.on_detail)
        for (auto const& one : listed)
            options.on_detail(place_and_reason(file, one) + (one.text.empty() ? "" : " (" + one.text + ")"));
}

/// Turns on what takes no value.
error turn_on(std::string_view name, std::string_view value, bool& what)
{
    if (!value.empty())
        return wrong(std::string{name} + " takes no value, and here stands '" + std::string{value} + "'");
    what = true;
    return {};
}

/// Keeps a value that could be read.
template <class Value>
error take(Value& to, result<Value> read)
{
    if (!read)
        return read.error();
    to = read.value();
    return {};
}

} // namespace

result<duration> parse_time_span(std::string_view name, std::string_view text)
{
    constexpr double longest = 1e15; // far from where nanoseconds overflow, added up over a whole route
    double number = 0;
    std::string_view unit;
    auto const failure = read_number(text, number, unit);
    auto const factor = nanoseconds_of(unit);
    // Out of range is also what is too close to 0.
    if (failure == std::errc::result_out_of_range && factor && text.find('-') == std::string_view::npos)
        return too_large(name, text, "1000000s");
    if (failure == std::errc{} && factor && number >= 0) {
        auto const nanoseconds = number * *factor;
        if (nanoseconds > longest)
            return too_large(name, text, "1000000s");
        return std::chrono::duration_cast<duration>(std::chrono::nanoseconds{static_cast<std::int64_t>(nanoseconds)});
    }
    return wrong(
        std::string{name} + " must be a number with ns, us, ms or s, as in 20us, not '" + std::string{text} + "'");
}

error set_fabric_parameter(fabric_source& to, std::string_view name, std::string_view value)
{
    auto& how = to.options;
    if (name == "configured") {
        bool configured = false;
        auto failed = turn_on(name, value, configured);
        if (configured)
            how.start = sim::start_state::configured;
        return failed;
    }
    if (name == "ping")
        return turn_on(name, value, how.answer_pings);
    if (name == "sa")
        return turn_on(name, value, how.answer_sa);
    if (name == "ca") {
        to.ca = value;
        return {};
    }
    if (name == "seed")
        return take(how.seed, whole_number(name, value));
    if (name == "loss")
        return take(how.faults.loss, probability(name, value));
    if (name == "duplicate")
        return take(how.faults.duplicate, probability(name, value));
    if (name == "latency")
        return take(how.faults.hop_latency, parse_time_span(name, value));
    if (name == "jitter")
        return take(how.faults.jitter, parse_time_span(name, value));
    if (name == "service")
        return take(how.faults.service_time, parse_time_span(name, value));
    return wrong("unknown parameter '" + std::string{name} +
                 "'; known: configured, ping, sa, ca, seed, loss, duplicate, latency, jitter, service");
}

result<fabric_source> parse_fabric_source(std::string_view uri)
{
    BOOST_OUTCOME_TRY(auto const parts, parse_host_uri(uri));
    auto const in_uri = [&](std::string const& what) { return wrong("host '" + std::string{uri} + "': " + what); };
    if (parts.scheme != "sim")
        return in_uri("no simulated fabric, as sim:lab.topo is");
    if (parts.path.empty())
        return in_uri("sim: needs a topology file, as in sim:lab.topo");
    fabric_source source;
    source.file = parts.path;
    source.options.uri = uri;
    for (auto const& [name, value] : parts.parameters)
        if (auto failed = set_fabric_parameter(source, name, value); failed.code())
            return in_uri(failed.context());
    return source;
}

result<std::shared_ptr<sim::fabric>> open_fabric(fabric_source source, open_host_options const& options)
{
    if (source.options.answer_sa && source.options.start != sim::start_state::configured)
        return wrong("host '" + source.options.uri + "': sa needs configured, as in sim:" + source.file +
                     "?configured&sa: it is the subnet manager that has configured the fabric which answers");
    source.options.time = options.time;
    source.options.sm_ca = source.ca; // the subnet manager of a configured fabric is where the host is
    BOOST_OUTCOME_TRY(auto read, topology::read_ibnetdiscover_file(source.file));
    tell_passed_over(source.file, read, options);
    return sim::fabric::make(std::move(read.fabric), std::move(source.options));
}

} // namespace madrigal
