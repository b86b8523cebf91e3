// `madrigal discover`: sweeps the fabric and prints what it found.
#include "cli/command.hpp"
#include "cli/complain.hpp"
#include "cli/exit_code.hpp"
#include "cli/host.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "cli/session.hpp"

#include <madrigal/topology/graphviz.hpp>
#include <madrigal/topology/ibnetdiscover_writer.hpp>
#include <madrigal/topology/json.hpp>
#include <madrigal/wire/directed_route.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace madrigal::cli {
namespace {

struct discover_arguments {
    host_arguments host;
    smp_arguments smp;
    std::string format = "summary";
    unsigned attempts = discover_options{}.attempts;
    std::optional<unsigned> max_hops;
};

std::string summary_line(discovery const& found)
{
    auto const counts = found.fabric.counts();
    auto const& cost = found.statistics;
    return fmt::format(
        "switches {:>5}  CAs {:>5}  routers {:>3}  links {:>6}  SMPs {:>7}  {:>7.3f} s  {:>7.0f} SMPs/s\n",
        counts.switches, counts.cas, counts.routers, counts.links, cost.smps_sent,
        std::chrono::duration<double>{cost.elapsed}.count(), cost.per_second());
}

std::string results(discovery const& found, std::string const& format)
{
    if (format == "topo")
        return topology::write_ibnetdiscover(found.fabric);
    if (format == "json")
        return topology::write_json(found.fabric);
    if (format == "dot")
        return topology::write_graphviz(found.fabric);
    return summary_line(found);
}

void tell_costs(sweep_statistics const& of)
{
    complain(fmt::format("{} questions, {} of them asked again, {} answers, {} refused, {} timed out", of.questions,
        of.asked_again, of.answers, of.refused, of.timeouts));
}

/// What is wrong with the fabric, or missing, a line each. An exit code.
int complain_of_problems(discovery const& found)
{
    for (auto const& problem : found.problems)
        complain(to_string(problem));
    if (found.complete())
        return success;
    auto const missing = std::ranges::count_if(found.problems, &sweep_problem::missing);
    complain(fmt::format("the sweep is incomplete: {} of its questions had no good answer", missing));
    return failed_operation;
}

/// A sweep that was cut short leaves no fabric that could be printed: all links of what is known would be in doubt.
int fail_interrupted(discover_progress const& last)
{
    complain(fmt::format("interrupted; incomplete: {} nodes and {} links found with {} SMPs, {} questions not asked",
        last.nodes, last.links, last.smps, last.waiting));
    return failed_operation;
}

/// Nothing is behind a port that is Down, which is no fault of the sweep's.
void complain_of_port_down(port const& on)
{
    auto const& own = on.attributes();
    if (own.state == port_state::down)
        complain(
            umad::port_name(own.ca_name, own.number) + " is Down: its own node is all that can be found through it");
}

int discover_through(session& session, discover_arguments const& wanted)
{
    complain_of_port_down(session.on());
    progress_line progress{session.loop()};
    auto options = wanted.smp.for_sweep();
    options.attempts = wanted.attempts;
    options.max_hops = wanted.max_hops;
    options.on_progress = [&](discover_progress const& now) { progress.update(now); };
    progress.start();
    auto const found = session.run(discover(session.on(), std::move(options)));
    progress.finish();

    if (!found)
        return session.interrupted() ? fail_interrupted(progress.latest()) : fail(found.error());
    auto const complete = complain_of_problems(found.value());
    if (wanted.host.verbosity > 0)
        tell_costs(found.value().statistics);
    auto const written = write_results(results(found.value(), wanted.format));
    return complete == success ? written : complete;
}

int run(discover_arguments const& wanted)
{
    set_verbosity(wanted.host.verbosity);
    auto const opened = session::open(wanted.host);
    if (!opened)
        return fail(opened.error());
    auto& session = *opened.value();
    return session.conclude(discover_through(session, wanted));
}

} // namespace

command discover_command(CLI::App& program)
{
    auto* const arguments = program.add_subcommand("discover", "Sweep the fabric and print what is there");
    auto const wanted = std::make_shared<discover_arguments>();
    add_standard_options(*arguments);
    wanted->host.add_to(*arguments);
    wanted->smp.add_to(*arguments);
    arguments->add_option("-f,--format", wanted->format, "summary, topo (as ibnetdiscover), json or dot (Graphviz)")
        ->type_name("FORMAT")
        ->default_str(wanted->format)
        ->check(CLI::IsMember({"summary", "topo", "json", "dot"}));
    add_number(*arguments, "--attempts", {1, 100}, wanted->attempts,
        "How often a question is asked in all, each time with its retries");
    add_number(
        *arguments, "-m,--max-hops", {0, directed_route::max_hops},
        [wanted](std::uint64_t number) { wanted->max_hops = static_cast<unsigned>(number); },
        "Look only so many hops far; without it, everywhere");
    return {arguments, [wanted] { return run(*wanted); }};
}

} // namespace madrigal::cli
