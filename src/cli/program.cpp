#include "cli/program.hpp"

#include "cli/command.hpp"
#include "cli/complain.hpp"
#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace madrigal::cli {
namespace {

/// `madrigal sim generate`: what the user has named so far.
std::string named_so_far(CLI::App const& program)
{
    std::string name = program.get_name();
    for (auto const* here = &program; !here->get_subcommands().empty();) {
        here = here->get_subcommands().front();
        name += " " + here->get_name();
    }
    return name;
}

constexpr int required = static_cast<int>(CLI::ExitCodes::RequiredError);

int say_usage(CLI::App const& program, CLI::ParseError const& wrong)
{
    std::string what = wrong.what();
    // CLI11 misses what is required before it sees what is too much, which is mostly the reason.
    auto const extra = program.remaining(true);
    auto const word = std::ranges::find_if(extra, [](auto const& one) { return one != "--"; });
    if (wrong.get_exit_code() == required && word != extra.end())
        what = "'" + *word + "' is neither a command nor an option here";
    // CLI11 ends some of its messages with a full list on further lines.
    std::replace(what.begin(), what.end(), '\n', ' ');
    complain(what + "; see '" + named_so_far(program) + " --help'");
    return wrong_usage;
}

/// Where in `madrigal run … -- WORD …` the words begin that are another program's; 0 where they do not.
int begin_of_words(int argc, char const* const* argv)
{
    std::span const all{argv, static_cast<std::size_t>(argc)};
    if (argc < 2 || std::string_view{all[1]} != "run")
        return 0;
    auto const dashes = std::ranges::find(all, "--", [](char const* one) { return std::string_view{one}; });
    return dashes == all.end() ? 0 : static_cast<int>(dashes - all.begin()) + 1;
}

} // namespace

int run_program(int argc, char const* const* argv)
{
    CLI::App program{
        "Looks at InfiniBand: this machine's ports, the fabric behind them, any node's attributes, what subnet "
        "administration knows, who answers pings.",
        "madrigal"};
    add_standard_options(program);
    int const behind = begin_of_words(argc, argv);
    std::vector<std::string> words;
    if (behind != 0)
        words.assign(argv + behind, argv + argc);
    program.require_subcommand(1);
    std::array const commands{ports_command(program), discover_command(program), query_command(program),
        sa_command(program), perf_command(program), ping_command(program), run_command(program, std::move(words)),
        sim_command(program)};
    program.footer("Exit codes: 0 success, 1 the operation failed, 2 the command line is wrong.\n"
                   "'madrigal COMMAND --help' and madrigal-COMMAND(1) tell more.");
    try {
        // Of the words that another program is to get, one tells that there are any.
        program.parse(behind != 0 ? std::min(argc, behind + 1) : argc, argv);
        auto const named = std::ranges::find_if(commands, [](command const& one) { return one.arguments->parsed(); });
        return named->run();
    } catch (CLI::ParseError const& end) {
        if (end.get_exit_code() != 0)
            return say_usage(program, end);
        std::ostringstream text;
        (void)program.exit(end, text, text);
        return write_results(text.str());
    }
}

} // namespace madrigal::cli
