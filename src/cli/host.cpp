#include "cli/host.hpp"

#include "cli/complain.hpp"

#include <madrigal/hosts/host_uri.hpp>
#include <madrigal/hosts/open_host.hpp>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace madrigal::cli {

void set_verbosity(unsigned verbosity)
{
    auto const level = verbosity == 0   ? spdlog::level::warn
                       : verbosity == 1 ? spdlog::level::info
                       : verbosity == 2 ? spdlog::level::debug
                                        : spdlog::level::trace;
    auto const sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto const logger = [&](char const* name) {
        auto made = std::make_shared<spdlog::logger>(name, sink);
        made->set_level(level);
        return made;
    };
    // The names under which the rooms look for a logger of the program's.
    for (auto const* name : {"madrigal.umad", "madrigal.sim", "madrigal.remote", "madrigal.runtime", "madrigal.fabric"})
        spdlog::register_logger(logger(name));
    spdlog::set_default_logger(logger("madrigal"));
}

open_host_options note_options(unsigned verbosity)
{
    open_host_options options;
    auto const note = [](std::string const& text) { complain("note: " + text); };
    options.on_note = note;
    if (verbosity > 0)
        options.on_detail = note;
    return options;
}

result<std::shared_ptr<umad::host>> open_host(host_arguments const& wanted)
{
    auto uri = wanted.host;
    if (wanted.ca_names_machine())
        uri += (uri.find('?') == std::string::npos ? "?ca=" : "&ca=") + percent_encoded(wanted.ca);
    return madrigal::open_host(uri, note_options(wanted.verbosity));
}

} // namespace madrigal::cli
