#include <madrigal/hosts/host_uri.hpp>
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/sim/fabric.hpp>
#include <madrigal/sim/host.hpp>
#include <madrigal/topology/ibnetdiscover_reader.hpp>
#include <madrigal/umad/linux_host.hpp>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

namespace madrigal {
namespace {

error wrong(std::string_view uri, std::string what)
{
    return {errc::malformed_uri, "host '" + std::string{uri} + "': " + std::move(what)};
}

/// What stands at the front of `text`, in so far as it is a number.
template <class Number>
std::errc read_number(std::string_view text, Number& number, std::string_view& rest) noexcept
{
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    rest = text.substr(static_cast<std::size_t>(end - text.data()));
    return failure;
}

error too_large(std::string_view uri, std::string_view name, std::string_view text, std::string_view highest)
{
    return wrong(uri, std::string{name} + " '" + std::string{text} + "' is too large: at most " + std::string{highest});
}

result<std::uint64_t> whole_number(std::string_view uri, std::string_view name, std::string_view text)
{
    std::uint64_t number = 0;
    std::string_view rest;
    auto const failure = read_number(text, number, rest);
    if (failure == std::errc::result_out_of_range && rest.empty())
        return too_large(uri, name, text, std::to_string(UINT64_MAX));
    if (failure != std::errc{} || !rest.empty())
        return wrong(uri, std::string{name} + " must be a whole number, not '" + std::string{text} + "'");
    return number;
}

result<double> probability(std::string_view uri, std::string_view name, std::string_view text)
{
    double number = 0;
    std::string_view rest;
    if (read_number(text, number, rest) != std::errc{} || !rest.empty() || !(number >= 0 && number <= 1))
        return wrong(uri, std::string{name} + " must be a number from 0 to 1, not '" + std::string{text} + "'");
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

result<duration> time_span(std::string_view uri, std::string_view name, std::string_view text)
{
    constexpr double longest = 1e15; // far from where nanoseconds overflow, added up over a whole route
    double number = 0;
    std::string_view unit;
    auto const failure = read_number(text, number, unit);
    auto const factor = nanoseconds_of(unit);
    // Out of range is also what is too close to 0.
    if (failure == std::errc::result_out_of_range && factor && text.find('-') == std::string_view::npos)
        return too_large(uri, name, text, "1000000s");
    if (failure == std::errc{} && factor && number >= 0) {
        auto const nanoseconds = number * *factor;
        if (nanoseconds > longest)
            return too_large(uri, name, text, "1000000s");
        return std::chrono::duration_cast<duration>(std::chrono::nanoseconds{static_cast<std::int64_t>(nanoseconds)});
    }
    return wrong(
        uri, std::string{name} + " must be a number with ns, us, ms or s, as in 20us, not '" + std::string{text} + "'");
}

result<std::shared_ptr<umad::host>> open_linux(std::string_view text, host_uri const& uri)
{
    umad::linux_host_options options;
    if (!uri.path.empty())
        return wrong(text, "linux takes no path");
    for (auto const& [name, value] : uri.parameters) {
        if (name == "sysfs")
            options.sysfs_root = value;
        else if (name == "dev")
            options.device_root = value;
        else
            return wrong(text, "unknown parameter '" + name + "'; known: sysfs, dev");
    }
    return std::shared_ptr<umad::host>{std::make_shared<umad::linux_host>(std::move(options))};
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

result<std::shared_ptr<umad::host>> open_sim(
    std::string_view text, host_uri const& uri, open_host_options const& options)
{
    if (uri.path.empty())
        return wrong(text, "sim: needs a topology file, as in sim:lab.topo");
    sim::fabric_options how;
    how.time = options.time;
    how.uri = text;
    std::optional<std::string> ca;
    for (auto const& [name, value] : uri.parameters) {
        if (name == "configured") {
            if (!value.empty())
                return wrong(text, "configured takes no value, and here stands '" + value + "'");
            how.start = sim::start_state::configured;
        } else if (name == "ping") {
            if (!value.empty())
                return wrong(text, "ping takes no value, and here stands '" + value + "'");
            how.answer_pings = true;
        } else if (name == "sa") {
            if (!value.empty())
                return wrong(text, "sa takes no value, and here stands '" + value + "'");
            how.answer_sa = true;
        } else if (name == "ca")
            ca = value;
        else if (name == "seed") {
            BOOST_OUTCOME_TRY(how.seed, whole_number(text, name, value));
        } else if (name == "loss") {
            BOOST_OUTCOME_TRY(how.faults.loss, probability(text, name, value));
        } else if (name == "duplicate") {
            BOOST_OUTCOME_TRY(how.faults.duplicate, probability(text, name, value));
        } else if (name == "latency") {
            BOOST_OUTCOME_TRY(how.faults.hop_latency, time_span(text, name, value));
        } else if (name == "jitter") {
            BOOST_OUTCOME_TRY(how.faults.jitter, time_span(text, name, value));
        } else if (name == "service") {
            BOOST_OUTCOME_TRY(how.faults.service_time, time_span(text, name, value));
        } else {
            return wrong(
                text, "unknown parameter '" + name +
                          "'; known: configured, ping, sa, ca, seed, loss, duplicate, latency, jitter, service");
        }
    }
    if (how.answer_sa && how.start != sim::start_state::configured)
        return wrong(text, "sa needs configured, as in sim:" + uri.path +
                               "?configured&sa: it is the subnet manager that has configured the fabric which answers");
    how.sm_ca = ca; // the subnet manager of a configured fabric is where the host is
    BOOST_OUTCOME_TRY(auto read, topology::read_ibnetdiscover_file(uri.path));
    tell_passed_over(uri.path, read, options);
    BOOST_OUTCOME_TRY(auto fabric, sim::fabric::make(std::move(read.fabric), std::move(how)));
    return sim::make_host(std::move(fabric), ca ? std::optional<std::string_view>{*ca} : std::nullopt);
}

} // namespace

std::string default_host_uri()
{
    char const* const named = std::getenv("MADRIGAL_HOST");
    return named != nullptr && *named != '\0' ? named : "linux";
}

result<std::shared_ptr<umad::host>> open_host(std::string_view uri, open_host_options const& options)
{
    BOOST_OUTCOME_TRY(auto const parts, parse_host_uri(uri));
    if (parts.scheme == "linux")
        return open_linux(uri, parts);
    if (parts.scheme == "sim")
        return open_sim(uri, parts, options);
    return wrong(uri, "unknown scheme '" + parts.scheme + "'; known: linux, sim:FILE");
}

} // namespace madrigal
