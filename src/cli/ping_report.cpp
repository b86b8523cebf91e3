#include "cli/ping_report.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <string_view>

namespace madrigal::cli {
namespace {

namespace json = boost::json;

double milliseconds_of(duration span)
{
    return std::chrono::duration<double, std::milli>{span}.count();
}

std::int64_t nanoseconds_of(duration span)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(span).count();
}

std::string source_of(ping_answer const& answer)
{
    auto const from = answer.global ? "GID " + to_string(*answer.global) : "LID " + to_string(answer.source);
    return answer.name.empty() ? from : from + " (" + answer.name + ")";
}

/// Why there is no good answer, as a sentence.
std::string loss_text(ping_subject const& of, ping_outcome const& what)
{
    auto const code = what.answer.error().code();
    auto const whom = to_string(of.to);
    if (code == errc::timeout)
        return fmt::format("no answer from {} within {} ms (seq {})", whom, of.timeout.count(), what.sequence);
    if (nobody_serves_pings(code))
        return fmt::format("{} answered (seq {}), but nobody serves pings there: run `madrigal ping --serve` or "
                           "`ibping -S` on it",
            whom, what.sequence);
    if (code.category() == boost::system::system_category())
        return fmt::format("no way to {} (seq {}): {}", whom, what.sequence, code.message());
    return fmt::format("no good answer from {} (seq {}): {}", whom, what.sequence, code.message());
}

std::string_view reason_word(error_code code)
{
    if (code == errc::timeout)
        return "timeout";
    if (code.category() == boost::system::system_category())
        return "unreachable";
    return nobody_serves_pings(code) ? "not_served" : code == errc::malformed_answer ? "malformed" : "refused";
}

std::string line(json::object const& object)
{
    return json::serialize(object) + "\n";
}

} // namespace

std::string ping_text(ping_subject const& of, ping_outcome const& what)
{
    if (!what.answer)
        return loss_text(of, what) + "\n";
    auto const& answer = what.answer.value();
    return fmt::format(
        "from {}: seq {}, {:.3f} ms\n", source_of(answer), what.sequence, milliseconds_of(answer.round_trip));
}

std::string ping_json(ping_subject const& of, ping_outcome const& what)
{
    json::object object{{"sequence", what.sequence}};
    if (!what.answer) {
        object["lost"] = reason_word(what.answer.error().code());
        object["error"] = loss_text(of, what);
        return line(object);
    }
    auto const& answer = what.answer.value();
    object["lid"] = answer.source.value();
    if (answer.global)
        object["gid"] = to_string(*answer.global);
    object["name"] = answer.name;
    object["round_trip_ns"] = nanoseconds_of(answer.round_trip);
    return line(object);
}

std::string ping_summary_text(ping_subject const& of, ping_statistics const& all)
{
    auto text =
        fmt::format("{}: {} sent, {} received, {:.4g} % lost\n", to_string(of.to), all.sent, all.received, all.loss());
    if (all.received != 0)
        text += fmt::format("round trip: minimum {:.3f} ms, average {:.3f} ms, maximum {:.3f} ms\n",
            milliseconds_of(all.minimum), milliseconds_of(all.average()), milliseconds_of(all.maximum));
    return text;
}

std::string ping_summary_json(ping_subject const& of, ping_statistics const& all)
{
    json::object object{{"destination", to_string(of.to)}, {"sent", all.sent}, {"received", all.received},
        {"loss_percent", all.loss()}, {"round_trip_ns", nullptr}};
    if (all.received != 0)
        object["round_trip_ns"] = json::object{{"minimum", nanoseconds_of(all.minimum)},
            {"average", nanoseconds_of(all.average())}, {"maximum", nanoseconds_of(all.maximum)}};
    return line(object);
}

std::string serve_summary(std::uint64_t answered, bool json)
{
    if (json)
        return line({{"answered", answered}});
    return fmt::format("{} ping{} answered\n", answered, answered == 1 ? "" : "s");
}

} // namespace madrigal::cli
