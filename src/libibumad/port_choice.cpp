#include "libibumad/port_choice.hpp"

#include "libibumad/log.hpp"
#include "libibumad/process_host.hpp"

#include <madrigal/umad/catalogue.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace madrigal::libibumad {
namespace {

bool takes_smps(umad::port_attributes const& port) noexcept
{
    return (port.capability_mask & umad::cap_is_sm_disabled) == 0;
}

/// Ports that fit, the best first; errc::no_such_ca where the CA is not there.
result<std::vector<umad::port_attributes>> fitting_ports(umad::host& from, wanted_port const& wanted)
{
    BOOST_OUTCOME_TRY(auto names, from.ca_names());
    auto const only = wanted.ca != nullptr ? std::string{wanted.ca} : preferred_ca(from);
    if (wanted.ca != nullptr || !only.empty()) {
        if (std::ranges::find(names, only) == names.end())
            return error{errc::no_such_ca, fmt::format("'{}'", only)};
        names = {only};
    }
    std::vector<umad::port_attributes> ports;
    for (auto const& name : names) {
        auto const ca = from.query_ca(name);
        if (!ca)
            continue; // unreadable or gone: one device spoils no other
        for (unsigned const number : ca.value().ports) {
            if (wanted.number != 0 && static_cast<int>(number) != wanted.number)
                continue;
            auto port = from.query_port(name, number);
            if (port && preference_of(port.value()) != preference::never &&
                (!wanted.takes_smps || takes_smps(port.value())))
                ports.push_back(std::move(port).value());
        }
    }
    std::ranges::stable_sort(ports, [](auto const& a, auto const& b) { return preference_of(a) < preference_of(b); });
    return ports;
}

error nothing_fits(wanted_port const& wanted)
{
    return {errc::no_infiniband,
        fmt::format("no {}port fits CA {} port {}", wanted.takes_smps ? "SMP " : "", shown(wanted.ca), wanted.number)};
}

bool is_named(wanted_port const& wanted) noexcept
{
    return wanted.ca != nullptr && wanted.number > 0;
}

/// A negative number is no port, and neither is a CA without a name one.
error check(wanted_port const& wanted)
{
    if (wanted.number < 0)
        return {errc::no_such_port, fmt::format("port {}", wanted.number)};
    if (wanted.ca != nullptr && *wanted.ca == '\0')
        return {errc::no_such_ca, "''"};
    return {};
}

result<umad::port_attributes> named_port(umad::host& from, wanted_port const& wanted)
{
    BOOST_OUTCOME_TRY(auto port, from.query_port(wanted.ca, static_cast<unsigned>(wanted.number)));
    if (wanted.takes_smps && !takes_smps(port))
        return nothing_fits(wanted);
    return port;
}

result<opened> open_this(umad::host& from, std::string_view ca, unsigned number)
{
    BOOST_OUTCOME_TRY(auto file, from.open_port(ca, number));
    auto name = umad::port_name(ca, number);
    return opened{name, umad::umad_file{std::move(file), name}};
}

/// Without a look at the port's attributes where nothing depends on them: they are hundreds of files.
result<opened> open_named(umad::host& from, wanted_port const& wanted)
{
    if (wanted.takes_smps) {
        BOOST_OUTCOME_TRY(named_port(from, wanted));
    }
    return open_this(from, wanted.ca, static_cast<unsigned>(wanted.number));
}

} // namespace

preference preference_of(umad::port_attributes const& port) noexcept
{
    if (port.layer != umad::link_layer::infiniband || !port.port_guid)
        return preference::never;
    if (port.number == 0 || port.state == port_state::active) // only switches have a port 0
        return preference::active;
    if (port.phys_state == physical_state::link_up)
        return preference::link_up;
    return port.phys_state == physical_state::disabled ? preference::never : preference::enabled;
}

result<opened> open_port(umad::host& from, wanted_port const& wanted)
{
    if (auto wrong = check(wanted); wrong.code())
        return wrong;
    if (is_named(wanted))
        return open_named(from, wanted);
    BOOST_OUTCOME_TRY(auto ports, fitting_ports(from, wanted));
    auto first_failure = nothing_fits(wanted);
    bool failed_before = false;
    for (auto const& port : ports) {
        auto here = open_this(from, port.ca_name, port.number);
        if (here)
            return here;
        debug("{}", here.error().message());
        if (!std::exchange(failed_before, true))
            first_failure = here.error();
    }
    return first_failure;
}

result<umad::port_attributes> find_port(umad::host& from, wanted_port const& wanted)
{
    if (auto wrong = check(wanted); wrong.code())
        return wrong;
    if (is_named(wanted))
        return named_port(from, wanted);
    BOOST_OUTCOME_TRY(auto ports, fitting_ports(from, wanted));
    if (ports.empty())
        return nothing_fits(wanted);
    // The one that umad_open_port would take. Opening a file for a moment disturbs nobody.
    if (ports.size() > 1)
        for (auto& port : ports)
            if (from.open_port(port.ca_name, port.number))
                return std::move(port);
    return std::move(ports.front());
}

result<std::string> find_ca(umad::host& from, char const* ca)
{
    if (ca != nullptr)
        return std::string{ca};
    BOOST_OUTCOME_TRY(auto ports, fitting_ports(from, {}));
    if (ports.empty())
        return nothing_fits({});
    return std::move(ports.front().ca_name);
}

verdict failed(error const& why)
{
    debug("{}", why.message());
    if (why == errc::no_such_ca || why == errc::no_infiniband || why == errc::malformed_topology ||
        why == errc::malformed_uri)
        return refused(ENODEV);
    if (why == errc::no_such_port || why == errc::no_usable_port)
        return refused(EINVAL);
    auto const code = why.code();
    if (code.category() != boost::system::system_category())
        return refused(EIO);
    auto const number = code.value();
    return number == EOPNOTSUPP || number == ENOMEM ? refused(number) : refused_as(EIO, number);
}

} // namespace madrigal::libibumad
