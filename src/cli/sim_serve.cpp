#include "cli/sim_serve.hpp"

#include "cli/complain.hpp"
#include "cli/console.hpp"
#include "cli/console_feed.hpp"
#include "cli/exit_code.hpp"
#include "cli/host.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

#include <madrigal/hosts/fabric_source.hpp>
#include <madrigal/hosts/host_uri.hpp>
#include <madrigal/remote/server.hpp>
#include <madrigal/sim/host.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace madrigal::cli {
namespace {

namespace asio = boost::asio;

struct serve_arguments {
    std::string topology;
    std::vector<std::pair<std::string, std::string>> parameters; ///< of a `sim:` URI, as options have given them
    fabric_source source;                                        ///< what all that means
    std::string socket;
    std::string script;
    unsigned verbosity = 0;
    bool no_console = false;
    bool json = false;
};

/// Each open file takes descriptors of the server's, and the usual limit is soon reached.
void allow_many_descriptors()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

bool is_ignored(int signal)
{
    struct sigaction present {};
    return ::sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_IGN; // NOLINT: the system's union
}

std::string start_line(sim::fabric const& fabric, serve_arguments const& wanted)
{
    auto const& layout = fabric.layout();
    if (!wanted.json)
        return fmt::format("serving {} nodes at {}\n", layout.size(), wanted.socket);
    auto const counts = layout.counts();
    return boost::json::serialize(boost::json::object{{"uri", "unix:" + percent_encoded(wanted.socket)},
               {"socket", wanted.socket}, {"nodes", layout.size()}, {"switches", counts.switches}, {"cas", counts.cas},
               {"routers", counts.routers}, {"links", counts.links}}) +
           "\n";
}

remote::machine_opener machines_on(std::shared_ptr<sim::fabric> fabric, std::optional<std::string> first)
{
    return [fabric = std::move(fabric), first = std::move(first)](std::optional<std::string_view> ca) {
        if (!ca && first)
            ca = *first;
        return sim::make_host(fabric, ca);
    };
}

/// A coroutine that has thrown is a mistake of the program's.
void rethrow(std::exception_ptr const& thrown)
{
    if (thrown)
        std::rethrow_exception(thrown);
}

int serve(asio::io_context& loop, std::shared_ptr<sim::fabric> const& fabric, serve_arguments const& wanted)
{
    std::unique_ptr<remote::server> server;
    console understands{fabric, [&] { return server ? server->counters() : remote::server_counters{}; }};
    std::vector<script_line> script;
    if (!wanted.script.empty()) {
        auto read = read_script(wanted.script, understands);
        if (!read)
            return wrong_usage;
        script = std::move(*read);
    }
    // Before the socket is there: whoever has seen it may end the server.
    asio::signal_set signals{loop, SIGINT, SIGTERM};
    if (!is_ignored(SIGHUP))
        signals.add(SIGHUP);
    signals.async_wait([&](error_code failed, int) {
        if (!failed)
            loop.stop();
    });
    if (wanted.source.ca)
        if (auto const first = sim::host::make(fabric, wanted.source.ca); !first)
            return fail(first.error());
    auto listening =
        remote::server::listen(loop.get_executor(), machines_on(fabric, wanted.source.ca), {.socket = wanted.socket});
    if (!listening)
        return fail(listening.error());
    server = std::move(listening.value());
    if (auto const written = write_results(start_line(*fabric, wanted)); written != success)
        return written;
    console_output answers{loop.get_executor()};
    console_run const with{understands, answers, std::chrono::steady_clock::now(), [&] { loop.stop(); }};
    unsigned failures = 0;
    asio::co_spawn(loop, run_script(std::move(script), with, failures), rethrow);
    if (!wanted.no_console)
        asio::co_spawn(loop, run_standard_input(with), rethrow);
    loop.run();
    return failures == 0 ? success : failed_operation;
}

int run(serve_arguments const& wanted)
{
    set_verbosity(wanted.verbosity);
    allow_many_descriptors();
    // A server in the background of a terminal gets nothing from it, and is not stopped for having asked.
    (void)std::signal(SIGTTIN, SIG_IGN);
    auto const fabric = open_fabric(wanted.source, note_options(wanted.verbosity));
    if (!fabric)
        return fail(fabric.error());
    asio::io_context loop{1};
    return serve(loop, fabric.value(), wanted);
}

/// What TOPOLOGY and the options mean together; options go over what a URI says.
fabric_source source_of(serve_arguments const& wanted)
{
    fabric_source source;
    if (wanted.topology.starts_with("sim:")) {
        auto read = parse_fabric_source(wanted.topology);
        if (!read)
            throw CLI::ValidationError(read.error().context());
        source = std::move(read.value());
    } else {
        source.file = wanted.topology;
        source.options.uri = "sim:" + wanted.topology;
    }
    for (auto const& [name, value] : wanted.parameters)
        if (auto const failed = set_fabric_parameter(source, name, value); failed.code())
            throw CLI::ValidationError("--" + failed.context());
    return source;
}

struct fabric_option {
    char const* names;
    char const* parameter;
    char const* type; ///< null for a flag
    char const* help;
};

constexpr std::array fabric_options_known{
    fabric_option{"--configured", "configured", nullptr, "Start as a subnet manager leaves a fabric, not as cabled"},
    fabric_option{"--sa", "sa", nullptr, "Subnet administration answers, on a configured fabric"},
    fabric_option{"--ping", "ping", nullptr, "CAs that nobody has opened answer pings"},
    fabric_option{"-C,--ca", "ca", "NAME", "The CA of clients that name none; without it, the first"},
    fabric_option{"--seed", "seed", "N", "Where the randomness of faults comes from; 1 without it"},
    fabric_option{"--loss", "loss", "P", "Lose packets with this probability, from 0 to 1, on each link"},
    fabric_option{"--duplicate", "duplicate", "P", "Deliver packets twice with this probability on each link"},
    fabric_option{"--latency", "latency", "T", "Each link takes this time, as in 20us"},
    fabric_option{"--jitter", "jitter", "T", "And up to this much more, evenly spread"},
    fabric_option{"--service", "service", "T", "A node takes this time for each request"},
};

void add_fabric_options(CLI::App& to, serve_arguments& wanted)
{
    for (auto const& one : fabric_options_known) {
        if (one.type == nullptr)
            to.add_flag(
                one.names, [&wanted, name = one.parameter](std::int64_t) { wanted.parameters.emplace_back(name, ""); },
                one.help);
        else
            to.add_option_function<std::string>(
                  one.names,
                  [&wanted, name = one.parameter](
                      std::string const& value) { wanted.parameters.emplace_back(name, value); },
                  one.help)
                ->type_name(one.type);
    }
}

} // namespace

std::function<int()> add_sim_serve(CLI::App& sim)
{
    auto* const arguments = sim.add_subcommand(
        "serve", "Simulate a fabric for other processes, whose host is unix:PATH, until a signal or 'quit'");
    auto const wanted = std::make_shared<serve_arguments>();
    add_standard_options(*arguments);
    arguments->add_option("TOPOLOGY", wanted->topology, "A file as of ibnetdiscover, or sim:FILE with parameters")
        ->type_name("")
        ->required();
    arguments->add_option("--socket", wanted->socket, "Where to make the socket")->type_name("PATH")->required();
    arguments->add_option("--script", wanted->script, "Carry out the commands in FILE, line by line")
        ->type_name("FILE");
    arguments->add_flag("--no-console", wanted->no_console, "Take no commands from standard input");
    add_fabric_options(*arguments, *wanted);
    arguments->add_flag("--json", wanted->json, "Say in JSON that the socket is there");
    arguments->add_flag(
        "-v,--verbose", [wanted](std::int64_t times) { wanted->verbosity = static_cast<unsigned>(times); },
        "Say on stderr what is going on; more often given, more is said");
    arguments->callback([wanted] { wanted->source = source_of(*wanted); });
    arguments->footer("Standard input takes commands, as a script does; 'help' lists them.");
    return [wanted] { return run(*wanted); };
}

} // namespace madrigal::cli
