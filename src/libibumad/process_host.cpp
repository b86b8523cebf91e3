#include "libibumad/process_host.hpp"

#include "libibumad/log.hpp"

#include <madrigal/hosts/open_host.hpp>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace madrigal::libibumad {
namespace {

struct process_state {
    std::mutex mutex;
    std::shared_ptr<umad::host> host;
    std::string last_complaint;
};

/// Never destroyed: threads may be in here while the process exits.
process_state& state()
{
    static auto* const the = new process_state;
    return *the;
}

std::string wanted_ca()
{
    char const* const named = std::getenv("MADRIGAL_CA");
    return named != nullptr ? named : "";
}

} // namespace

std::mutex& host_mutex()
{
    return state().mutex;
}

result<host_access> use_host()
{
    auto& process = state();
    std::unique_lock lock{process.mutex};
    if (process.host == nullptr) {
        auto const uri = default_host_uri();
        auto opened = open_host(uri, {.on_note = [](std::string const& note) { debug("{}", note); }});
        if (!opened) {
            auto message = fmt::format("host {}: {}", uri, opened.error().message());
            if (message != process.last_complaint)
                say(message);
            process.last_complaint = std::move(message);
            return opened.error();
        }
        process.host = std::move(opened).value();
        debug("host {}", process.host->uri());
    }
    return host_access{std::move(lock), *process.host};
}

std::string preferred_ca(umad::host& of)
{
    auto wanted = wanted_ca();
    if (wanted.empty())
        return {};
    auto const names = of.ca_names();
    bool const there = names && std::ranges::find(names.value(), wanted) != names.value().end();
    // On this machine a name that nobody has must not end at another device.
    return there || of.uri() == "linux" ? std::move(wanted) : std::string{};
}

} // namespace madrigal::libibumad
