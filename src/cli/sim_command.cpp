// `madrigal sim`: what has to do with simulated fabrics.
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/sim_generate.hpp"

namespace madrigal::cli {

command sim_command(CLI::App& program)
{
    auto* const arguments = program.add_subcommand("sim", "Make fabrics to simulate");
    add_standard_options(*arguments);
    arguments->require_subcommand(1);
    return {arguments, add_sim_generate(*arguments)};
}

} // namespace madrigal::cli
