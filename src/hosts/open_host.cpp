#include <madrigal/hosts/host_uri.hpp>
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/sim/fabric.hpp>
#include <madrigal/sim/host.hpp>
#include <madrigal/umad/linux_host.hpp>

#include <charconv>
#include <cstdlib>

namespace madrigal {
namespace {

error wrong(std::string_view uri, std::string what)
{
    return {errc::malformed_uri, "host '" + std::string{uri} + "': " + std::move(what)};
}

template <class Number>
bool read_number(std::string_view text, Number& number, std::string_view& rest) noexcept
{
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    rest = text.substr(static_cast<std::size_t>(end - text.data()));
    return failure == std::errc{};
}

result<std::uint64_t> whole_number(std::string_view uri, std::string_view name, std::string_view text)
{
    std::uint64_t number = 0;
    std::string_view rest;
    if (!read_number(text, number, rest) || !rest.empty())
        return wrong(uri, std::string{name} + " must be a whole number, not '" + std::string{text} + "'");
    return number;
}

result<double> probability(std::string_view uri, std::string_view name, std::string_view text)
{
    double number = 0;
    std::string_view rest;
    if (!read_number(text, number, rest) || !rest.empty() || !(number >= 0 && number <= 1))
        return wrong(uri, std::string{name} + " must be a number from 0 to 1, not '" + std::string{text} + "'");
    return number;
}

result<duration> time_span(std::string_view uri, std::string_view name, std::string_view text)
{
    double number = 0;
    std::string_view unit;
    if (read_number(text, number, unit) && number >= 0) {
        double nanoseconds = -1;
        if (unit == "ns")
            nanoseconds = number;
        else if (unit == "us")
            nanoseconds = number * 1e3;
        else if (unit == "ms")
            nanoseconds = number * 1e6;
        else if (unit == "s")
            nanoseconds = number * 1e9;
        if (nanoseconds >= 0 && nanoseconds <= 1e15)
            return std::chrono::duration_cast<duration>(
                std::chrono::nanoseconds{static_cast<std::int64_t>(nanoseconds)});
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
        if (name == "configured" && value.empty())
            how.start = sim::start_state::configured;
        else if (name == "ca")
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
            return wrong(text, "unknown parameter '" + name +
                                   "'; known: configured, ca, seed, loss, duplicate, latency, jitter, service");
        }
    }
    how.sm_ca = ca; // the subnet manager of a configured fabric is where the host is
    BOOST_OUTCOME_TRY(auto fabric, sim::load_fabric(uri.path, how));
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
