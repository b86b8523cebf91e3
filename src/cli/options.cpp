#include "cli/options.hpp"

#include "cli/numbers.hpp"

#include <madrigal/hosts/open_host.hpp>
#include <madrigal/version.hpp>

#include <utility>

namespace madrigal::cli {
namespace {

constexpr number_range any_number{0, UINT64_MAX};

} // namespace

CLI::Option* add_number(CLI::App& to, std::string const& names, number_range within,
    std::function<void(std::uint64_t)> assign, std::string const& help)
{
    auto const name = names.substr(0, names.find(','));
    // As text, since CLI11 would take signs, blanks and octal numbers too.
    auto const read = [within, name, assign = std::move(assign)](std::string const& text) {
        auto const number = parse_number(text);
        if (!number || *number < within.lowest || *number > within.highest) {
            auto const wanted = within.highest == UINT64_MAX ? "a whole number, decimal or 0x…, of at most 64 bits"
                                                             : "a whole number from " + std::to_string(within.lowest) +
                                                                   " to " + std::to_string(within.highest);
            throw CLI::ValidationError(name, "'" + text + "' is not " + wanted);
        }
        assign(*number);
    };
    return to.add_option_function<std::string>(names, read, help)->type_name("N");
}

void add_standard_options(CLI::App& to)
{
    to.set_help_flag("-h,--help", "Show this help and exit");
    to.set_version_flag("-V,--version", std::string{"madrigal "} + library_version, "Show the version and exit");
}

void host_arguments::add_to(CLI::App& arguments)
{
    add_without_capture_to(arguments);
    auto const name = [](std::string const& file) {
        if (file.empty() || file == "-")
            return "'" + file + "' is not the name of a file; results go to stdout";
        return std::string{};
    };
    arguments.add_option("--pcap", pcap, "Write every packet sent and received into FILE, for Wireshark")
        ->type_name("FILE")
        ->check(CLI::Validator{name, ""});
}

void host_arguments::add_without_capture_to(CLI::App& arguments)
{
    host = default_host_uri();
    arguments
        .add_option(
            "--host", host, "linux, sim:FILE, sim:FILE?configured or unix:SOCKET; MADRIGAL_HOST sets the default")
        ->type_name("URI")
        ->default_str(host);
    arguments.add_option("-C,--ca", ca, "The CA to use; without it, the first that has a usable port")
        ->type_name("NAME");
    add_number(
        arguments, "-P,--port", {0, 255}, [this](std::uint64_t number) { port = static_cast<unsigned>(number); },
        "The port of the CA to use; without it, the best one");
    arguments.add_flag(
        "-v,--verbose", [this](std::int64_t times) { verbosity = static_cast<unsigned>(times); },
        "Say on stderr what is going on; more often given, more is said");
}

void smp_arguments::add_to(CLI::App& arguments)
{
    add_number(arguments, "-t,--timeout", timeouts, timeout_ms, "Milliseconds that each SMP waits for its answer")
        ->type_name("MS");
    add_number(arguments, "--retries", {0, 1'000}, retries, "How often an SMP without an answer is sent again");
    add_number(arguments, "-o,--outstanding", {1, 65'536}, outstanding, "SMPs on the wire at a time");
    add_m_key_to(arguments);
}

CLI::Option* smp_arguments::add_m_key_to(CLI::App& arguments)
{
    return add_number(arguments, "-y,--m-key", any_number, m_key, "The M_Key that every SMP carries")->type_name("KEY");
}

discover_options smp_arguments::for_sweep() const
{
    discover_options options;
    options.timeout = timeout();
    options.retries = retries;
    options.outstanding = outstanding;
    options.keys.set_default(m_key);
    return options;
}

} // namespace madrigal::cli
