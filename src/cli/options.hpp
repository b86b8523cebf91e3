// The options that several commands share, with the letters of infiniband-diags.
#pragma once

#include <madrigal/fabric/discover_options.hpp>
#include <madrigal/umad/catalogue.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace madrigal::cli {

struct number_range {
    std::uint64_t lowest;
    std::uint64_t highest;
};

/// Milliseconds to wait: up to a day, more than any answer takes, and far from where milliseconds overflow.
inline constexpr number_range timeouts{1, 86'400'000};

/// An option or argument that takes a number within a range; anything else is wrong usage. `assign` is called with the
/// number during parsing.
CLI::Option* add_number(CLI::App& to, std::string const& names, number_range within,
    std::function<void(std::uint64_t)> assign, std::string const& help);
/// The same for a variable, whose value so far is shown as the default.
template <std::integral Number>
CLI::Option* add_number(
    CLI::App& to, std::string const& names, number_range within, Number& variable, std::string const& help)
{
    auto const assign = [&variable](std::uint64_t number) { variable = static_cast<Number>(number); };
    return add_number(to, names, within, assign, help)->default_str(std::to_string(variable));
}

/// `--help` and `--version`, as every command has them.
void add_standard_options(CLI::App& to);

/// Which host, which of its ports, what is kept of the packets, and how much is said on the way.
struct host_arguments {
    std::string host; ///< set by add_to: MADRIGAL_HOST, else linux
    std::string ca;   ///< empty: any
    std::optional<unsigned> port;
    std::string pcap; ///< empty: no capture
    unsigned verbosity = 0;

    /// For a command that opens the port: with `--pcap`.
    void add_to(CLI::App& arguments);
    /// For one that opens none.
    void add_without_capture_to(CLI::App& arguments);
    /// A served fabric has many machines, and the CA tells which is meant; of a machine it tells which CA.
    [[nodiscard]] bool ca_names_machine() const noexcept { return host.starts_with("unix:") && !ca.empty(); }
    /// Which port of the host that `open_host` has opened.
    [[nodiscard]] umad::port_selector selector() const noexcept
    {
        return {.ca = ca_names_machine() ? std::string_view{} : std::string_view{ca}, .port = port};
    }
};

/// How SMPs are sent.
struct smp_arguments {
    unsigned timeout_ms = 200;
    unsigned retries = 2;
    unsigned outstanding = 64;
    std::uint64_t m_key = 0;

    void add_to(CLI::App& arguments);
    /// The key alone, for commands that sweep on the way only.
    CLI::Option* add_m_key_to(CLI::App& arguments);
    [[nodiscard]] std::chrono::milliseconds timeout() const noexcept { return std::chrono::milliseconds{timeout_ms}; }
    /// The same for a sweep.
    [[nodiscard]] discover_options for_sweep() const;
};

} // namespace madrigal::cli
