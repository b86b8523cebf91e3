// `madrigal run`: any libibumad program on any host.
#include "cli/command.hpp"
#include "cli/complain.hpp"
#include "cli/exit_code.hpp"
#include "cli/options.hpp"

#include <madrigal/hosts/host_uri.hpp>
#include <madrigal/hosts/open_host.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

namespace madrigal::cli {
namespace {

namespace fs = std::filesystem;

constexpr char const* library_name = "libmadrigal-umad.so.0";

// As the shell has them.
constexpr int cannot_be_run = 126;
constexpr int command_not_found = 127;

struct run_arguments {
    std::string host = default_host_uri();
    std::string ca;
    std::vector<std::string> command;
};

/// The URI with its path from the root: the program may go elsewhere, as every daemon does.
result<std::string> absolute_uri(std::string const& uri, host_uri const& parts)
{
    if (parts.path.empty() || parts.path.front() == '/')
        return uri;
    std::error_code failed;
    constexpr std::size_t longest_socket = 107;
    auto const here = fs::current_path(failed);
    if (failed)
        return errno_error(failed.value(), "the current directory");
    // Too long for a socket's path, it has to do as it is.
    if (parts.scheme == "unix" && here.native().size() + 1 + parts.path.size() > longest_socket)
        return uri;
    auto const after_scheme = parts.scheme.size() + 1;
    return uri.substr(0, after_scheme) + percent_encoded(here.string()) + "/" + uri.substr(after_scheme);
}

/// Where the library may lie: in the build tree, where this program was installed, and where it was to be installed.
std::vector<fs::path> places()
{
    std::vector<fs::path> all;
    std::error_code failed;
    auto const self = fs::read_symlink("/proc/self/exe", failed);
    if (!failed)
        for (auto const* from_here : {"../lib", MADRIGAL_LIBDIR_FROM_BINDIR})
            all.push_back((self.parent_path() / from_here).lexically_normal());
    all.emplace_back(MADRIGAL_FULL_LIBDIR);
    std::vector<fs::path> unique;
    for (auto& one : all)
        if (std::ranges::find(unique, one) == unique.end())
            unique.push_back(std::move(one));
    return unique;
}

std::optional<std::string> find_library()
{
    auto const all = places();
    for (auto const& place : all) {
        auto const file = place / library_name;
        if (::access(file.c_str(), R_OK) != 0)
            continue;
        if (file.string().find_first_of(": ") == std::string::npos)
            return file.string();
        complain(fmt::format("'{}': the loader takes no library whose path has a blank or a colon", file.string()));
        return std::nullopt;
    }
    std::vector<std::string> names;
    names.reserve(all.size());
    for (auto const& place : all)
        names.push_back(place.string());
    complain(fmt::format("{} is in none of {}; build or install it together with this program (it needs "
                         "infiniband/umad.h; Debian: libibumad-dev)",
        library_name, fmt::join(names, ", ")));
    return std::nullopt;
}

bool set_variable(char const* name, std::string const& value)
{
    return ::setenv(name, value.c_str(), 1) == 0; // NOLINT: there is one thread
}

bool prepare_environment(std::string const& host, std::string const& ca, std::string library)
{
    if (char const* const others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0')
        library += fmt::format(":{}", others);
    return set_variable("MADRIGAL_HOST", host) && (ca.empty() || set_variable("MADRIGAL_CA", ca)) &&
           set_variable("LD_PRELOAD", library);
}

int run(run_arguments const& wanted)
{
    auto const parts = parse_host_uri(wanted.host);
    if (!parts)
        return fail(parts.error());
    if (!wanted.ca.empty() && parts.value().has("ca")) {
        complain(fmt::format("'ca' stands twice: in the host {} and as --ca {}", wanted.host, wanted.ca));
        return wrong_usage;
    }
    auto const host = absolute_uri(wanted.host, parts.value());
    if (!host)
        return fail(host.error());
    auto library = find_library();
    if (!library)
        return failed_operation;
    if (!prepare_environment(host.value(), wanted.ca, std::move(*library))) {
        complain("no memory for the environment");
        return failed_operation;
    }
    // What main ignores the program should not.
    (void)std::signal(SIGPIPE, SIG_DFL);
    std::vector<char*> words;
    words.reserve(wanted.command.size() + 1);
    for (auto const& word : wanted.command)
        words.push_back(const_cast<char*>(word.c_str())); // NOLINT: execvp does not write to them
    words.push_back(nullptr);
    ::execvp(words.front(), words.data());
    int const number = errno;
    complain(fmt::format("cannot run '{}': {}", wanted.command.front(), std::strerror(number)));
    return number == ENOENT ? command_not_found : cannot_be_run;
}

} // namespace

command run_command(CLI::App& program, std::vector<std::string> words)
{
    auto* const arguments =
        program.add_subcommand("run", "Run a libibumad program, such as ibnetdiscover, on any host");
    auto const wanted = std::make_shared<run_arguments>();
    add_standard_options(*arguments);
    arguments
        ->add_option("--host", wanted->host, "Where the program is to believe to be; MADRIGAL_HOST sets the default")
        ->type_name("URI")
        ->default_str(wanted->host);
    arguments->add_option("-C,--ca", wanted->ca, "Which machine of a simulated fabric; on this machine, the default CA")
        ->type_name("NAME");
    arguments->add_option("COMMAND", wanted->command, "The program and its arguments, after '--'")
        ->type_name("")
        ->required();
    return {arguments, [wanted, words = std::move(words)] {
                if (!words.empty())
                    wanted->command = words;
                return run(*wanted);
            }};
}

} // namespace madrigal::cli
