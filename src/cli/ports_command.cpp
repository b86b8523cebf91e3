// `madrigal ports`: this machine's CAs and their ports, as ibstat shows them.
#include "cli/command.hpp"
#include "cli/complain.hpp"
#include "cli/exit_code.hpp"
#include "cli/host.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/port_report.hpp"

#include <madrigal/umad/catalogue.hpp>

#include <memory>
#include <utility>

namespace madrigal::cli {
namespace {

struct ports_arguments {
    host_arguments host;
    bool json = false;
};

/// What is wrong with the ports that could not be read; true where something is.
bool complain_of_unreadable(umad::port_list const& all, ports_arguments const& wanted)
{
    bool any = false;
    auto const chosen = wanted.host.selector();
    for (auto const& [ca, port, why] : all.unreadable) {
        if ((!chosen.ca.empty() && ca != chosen.ca) || (port && chosen.port && port != chosen.port))
            continue;
        complain((port ? umad::port_name(ca, *port) : ca) + " cannot be read: " + why.message());
        any = true;
    }
    return any;
}

int run(ports_arguments const& wanted)
{
    set_verbosity(wanted.host.verbosity);
    auto const host = open_host(wanted.host);
    if (!host)
        return fail(host.error());
    auto names = host.value()->ca_names();
    if (!names)
        return fail(names.error());
    if (names.value().empty())
        return fail(errc::no_infiniband);
    auto all = umad::list_ports(*host.value());
    if (!all)
        return fail(all.error());
    auto const failed = complain_of_unreadable(all.value(), wanted);
    auto report = collect_ports(*host.value(), all.value(), wanted.host.selector());
    if (!report)
        return fail(report.error());
    auto const written = write_results(wanted.json ? ports_json(report.value()) : ports_text(report.value()));
    return failed ? failed_operation : written;
}

} // namespace

command ports_command(CLI::App& program)
{
    auto* const arguments = program.add_subcommand("ports", "Show this machine's CAs and their ports");
    auto const wanted = std::make_shared<ports_arguments>();
    add_standard_options(*arguments);
    wanted->host.add_without_capture_to(*arguments);
    arguments->get_option("--ca")->description("Show this CA only");
    arguments->get_option("--port")->description("Show this port only");
    arguments->add_flag("--json", wanted->json, "Print JSON");
    return {arguments, [wanted] { return run(*wanted); }};
}

} // namespace madrigal::cli
