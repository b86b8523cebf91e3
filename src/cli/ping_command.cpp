// `madrigal ping`: asks a machine whether it is there, or is what answers.
#include "cli/command.hpp"
#include "cli/complain.hpp"
#include "cli/exit_code.hpp"
#include "cli/host.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/ping_report.hpp"
#include "cli/ping_words.hpp"
#include "cli/session.hpp"

#include <madrigal/fabric/ping.hpp>
#include <madrigal/fabric/reach.hpp>
#include <madrigal/wire/fixed_text.hpp>

#include <boost/asio/error.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace madrigal::cli {
namespace {

struct ping_arguments {
    host_arguments host;
    smp_arguments smp; ///< for the sweep that finds a GUID
    ping_words words;
    std::optional<address> to; ///< what the words mean
    std::optional<std::uint64_t> count;
    unsigned timeout_ms = 1'000;
    std::uint32_t oui = ping_oui;
    bool flood = false;
    bool serve = false;
    bool json = false;

    [[nodiscard]] ping_options how() const
    {
        ping_options options;
        options.timeout = std::chrono::milliseconds{timeout_ms};
        options.oui = oui;
        return options;
    }
};

/// Whom a series went to, what it came to, and whether all of it could be printed.
struct finished_series {
    ping_subject subject;
    ping_statistics came_to;
    int written = success;
};

asio::awaitable<result<destination>> find(port on, ping_arguments const& wanted)
{
    if (!wanted.to)
        co_return reach_itself(on.attributes());
    auto options = wanted.smp.for_sweep();
    auto found = co_await reach(on, *wanted.to, std::move(options));
    co_return found;
}

asio::awaitable<result<finished_series>> ping_all(port on, ping_arguments const& wanted)
{
    auto const to = co_await find(on, wanted);
    if (!to)
        co_return to.error();
    auto const client = ping_client::open(on, wanted.how());
    if (!client)
        co_return client.error();
    finished_series series{{to.value(), client.value().options().timeout}, {}};
    ping_series_options options;
    options.count = wanted.count;
    if (wanted.flood)
        options.interval = {};
    options.on_outcome = [&](ping_outcome const& one) {
        series.written = write_results(wanted.json ? ping_json(series.subject, one) : ping_text(series.subject, one));
        return series.written == success;
    };
    series.came_to = co_await ping_series(client.value(), to.value(), std::move(options));
    co_return series;
}

/// An exit code: what the user asks to stop has not failed.
int conclude(finished_series const& series, ping_arguments const& wanted)
{
    if (series.written != success)
        return series.written;
    auto const& all = series.came_to;
    bool const failed = all.ended.code() && all.ended.code() != asio::error::operation_aborted;
    if (!failed || all.sent != 0) {
        auto const written = write_results(
            wanted.json ? ping_summary_json(series.subject, all) : ping_summary_text(series.subject, all));
        if (written != success)
            return written;
    }
    if (failed) {
        complain("pinging " + to_string(series.subject.to) + " has ended: " + all.ended.message());
        return failed_operation;
    }
    return all.received != 0 && all.received == all.sent ? success : failed_operation;
}

int run_pings(session& on, ping_arguments const& wanted)
{
    auto const series = on.run(ping_all(on.on(), wanted));
    if (!series) {
        auto const& what = series.error();
        if (on.interrupted())
            return fail(error{what.code(), "interrupted"});
        // What cannot be reached is told in full by the context.
        if (what.code() != errc::invalid_argument || what.context().empty())
            return fail(what);
        complain(what.context());
        return failed_operation;
    }
    return conclude(series.value(), wanted);
}

/// Once this is said, pings are answered.
void announce(port const& on, ping_server_options const& how)
{
    auto const& own = on.attributes();
    if (auto const reachable = reach_itself(own); !reachable)
        complain("note: no ping gets here yet: " + reachable.error().context());
    complain(
        fmt::format("answering pings on {} as \"{}\" until interrupted{}", umad::port_name(own.ca_name, own.number),
            printable(how.name), how.count ? fmt::format(", {} at most", *how.count) : std::string{}));
}

asio::awaitable<result<std::uint64_t>> answer_all(port on, ping_arguments const& wanted)
{
    ping_server_options options;
    options.name = host_name();
    options.oui = wanted.oui;
    options.count = wanted.count;
    auto server = ping_server::open(on, options);
    if (!server)
        co_return server.error();
    announce(on, options);
    auto const ended = co_await server.value().serve();
    if (ended && ended != asio::error::operation_aborted)
        co_return error{ended, fmt::format("{} pings answered", server.value().answered())};
    co_return server.value().answered();
}

int run_server(session& on, ping_arguments const& wanted)
{
    auto const answered = on.run(answer_all(on.on(), wanted));
    return answered ? write_results(serve_summary(answered.value(), wanted.json)) : fail(answered.error());
}

int run(ping_arguments const& wanted)
{
    set_verbosity(wanted.host.verbosity);
    auto const opened = session::open(wanted.host);
    if (!opened)
        return fail(opened.error());
    auto& session = *opened.value();
    return session.conclude(wanted.serve ? run_server(session, wanted) : run_pings(session, wanted));
}

} // namespace

command ping_command(CLI::App& program)
{
    auto* const arguments = program.add_subcommand("ping", "Ask a machine whether it answers, or answer pings");
    auto const wanted = std::make_shared<ping_arguments>();
    auto& words = wanted->words;
    add_standard_options(*arguments);
    arguments
        ->add_option_function<std::string>(
            "DEST", [&](std::string const& text) { words.to = text; },
            "A LID, a GUID (0x and 16 digits) or a GID; without it, the port itself")
        ->type_name("");
    arguments->add_flag("-L,--lid", words.lid, "DEST is a LID");
    arguments->add_flag("-G,--guid", words.guid, "DEST is the GUID of a port or node; the fabric is swept for it");
    arguments->add_flag("-S,--serve", wanted->serve, "Answer pings until interrupted");
    add_number(
        *arguments, "-c,--count", {1, UINT32_MAX}, [wanted](std::uint64_t number) { wanted->count = number; },
        "Ping, or answer, so often; without it until interrupted");
    arguments->add_flag("-f,--flood", wanted->flood, "Ping again at once; without it, once a second");
    auto* const timeout = add_number(
        *arguments, "-t,--timeout", timeouts, wanted->timeout_ms, "Milliseconds that each ping waits for its answer");
    timeout->type_name("MS");
    add_number(*arguments, "-o,--oui", {1, 0xFF'FFFF}, wanted->oui, "The OUI of the vendor class of the pings")
        ->type_name("OUI")
        ->default_str(fmt::format("{:#08x}", ping_oui));
    auto* const key = wanted->smp.add_m_key_to(*arguments);
    key->description("The M_Key of the sweep for a GUID");
    arguments->add_flag("--json", wanted->json, "Print JSON: one object a line");
    wanted->host.add_to(*arguments);
    arguments->callback([wanted, timeout, key] {
        auto const& said = wanted->words;
        if (wanted->serve &&
            (said.to || said.lid || said.guid || wanted->flood || timeout->count() != 0 || key->count() != 0))
            throw CLI::ValidationError("--serve answers pings, so it takes no DEST and none of -L, -G, -f, -t and -y");
        wanted->to = understand(said);
    });
    return {arguments, [wanted] { return run(*wanted); }};
}

} // namespace madrigal::cli
