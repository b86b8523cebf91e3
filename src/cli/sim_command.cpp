// `madrigal sim`: what has to do with simulated fabrics.
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/sim_generate.hpp"
#include "cli/sim_serve.hpp"

namespace madrigal::cli {

command sim_command(CLI::App& program)
{
    auto* const arguments = program.add_subcommand("sim", "Make fabrics to simulate, and share them between processes");
    add_standard_options(*arguments);
    arguments->require_subcommand(1);
    auto const generate = add_sim_generate(*arguments);
    auto const serve = add_sim_serve(*arguments);
    return {arguments, [=] { return arguments->got_subcommand("serve") ? serve() : generate(); }};
}

} // namespace madrigal::cli
