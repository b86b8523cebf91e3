#include <madrigal/umad/catalogue.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace madrigal::umad {
namespace {

/// How willingly a port is taken when none is named; lower is better.
enum class preference { active, link_up, enabled, never };

struct candidate {
    port_attributes attributes;
    preference rank;
};

preference rank_of(port_attributes const& port, node_type type)
{
    if (port.layer != link_layer::infiniband || !port.port_guid)
        return preference::never;
    if (type == node_type::switch_ && port.number == 0)
        return preference::active;
    if (port.state == port_state::active)
        return preference::active;
    if (port.phys_state == physical_state::link_up)
        return preference::link_up;
    if (port.phys_state == physical_state::disabled)
        return preference::never;
    return preference::enabled;
}

char const* why_never(port_attributes const& port)
{
    if (port.layer != link_layer::infiniband)
        return "its link layer is not InfiniBand";
    return port.port_guid ? "it is disabled" : "it has no GUID";
}

/// Gone since it was listed.
bool vanished(error const& why)
{
    return why == errc::no_such_ca || why == errc::no_such_port;
}

/// One pass over the machine: calls `on_port(attributes, node type)` and `on_failure(unreadable_port)`, and counts on
/// neither CAs nor ports staying where they are.
template <class OnPort, class OnFailure>
void scan(host& from, std::vector<std::string> const& names, std::optional<unsigned> only, OnPort on_port,
    OnFailure on_failure)
{
    for (auto const& name : names) {
        auto ca = from.query_ca(name);
        if (!ca) {
            if (!vanished(ca.error()))
                on_failure(unreadable_port{name, std::nullopt, ca.error()});
            continue;
        }
        for (unsigned const number : ca.value().ports) {
            if (only && *only != number)
                continue;
            auto port = from.query_port(name, number);
            if (port)
                on_port(std::move(port).value(), ca.value().type);
            else if (!vanished(port.error()))
                on_failure(unreadable_port{name, number, port.error()});
        }
    }
}

/// A choice that is being made: the candidates in the order in which they are to be tried, and why others are not.
struct choice {
    std::vector<candidate> candidates;
    std::vector<std::string> passed_over;
    /// The first error that says that nothing here can be opened at all.
    std::optional<error> no_infiniband;

    void pass_over(std::string_view ca, std::optional<unsigned> port, std::string_view why)
    {
        passed_over.push_back(fmt::format("{}: {}", port ? port_name(ca, *port) : std::string{ca}, why));
    }
};

bool is_simulated(host const& from)
{
    auto const uri = from.uri();
    return uri.starts_with("sim:") || uri.starts_with("unix:");
}

result<std::vector<std::string>> names_to_look_at(host& from, port_selector const& wanted)
{
    BOOST_OUTCOME_TRY(auto names, from.ca_names());
    if (names.empty())
        return error{
            errc::no_infiniband, fmt::format("host {} has no InfiniBand device; {}", from.uri(),
                                     is_simulated(from) ? "this machine's is unplugged or switched off"
                                                        : "load the adapter's driver and ib_umad (modprobe ib_umad)")};
    if (wanted.ca.empty())
        return names;
    if (std::find(names.begin(), names.end(), wanted.ca) == names.end())
        return error{
            errc::no_such_ca, fmt::format("{} (host {} has {})", wanted.ca, from.uri(), fmt::join(names, ", "))};
    return std::vector<std::string>{std::string{wanted.ca}};
}

result<choice> find_candidates(host& from, port_selector const& wanted)
{
    BOOST_OUTCOME_TRY(auto const names, names_to_look_at(from, wanted));
    choice found;
    bool any = false;
    scan(
        from, names, wanted.port,
        [&](port_attributes port, node_type type) {
            any = true;
            auto const rank = rank_of(port, type);
            if (rank == preference::never)
                found.pass_over(port.ca_name, port.number, why_never(port));
            else
                found.candidates.push_back({std::move(port), rank});
        },
        [&](unreadable_port const& bad) {
            any = true;
            found.pass_over(bad.ca, bad.port, bad.why.message());
        });
    if (!any && wanted.port)
        return error{errc::no_such_port, fmt::format("port {} of {}", *wanted.port, fmt::join(names, " or "))};
    std::stable_sort(found.candidates.begin(), found.candidates.end(),
        [](candidate const& a, candidate const& b) { return a.rank < b.rank; });
    return found;
}

result<opened_port> open_named(host& from, port_attributes attributes)
{
    BOOST_OUTCOME_TRY(auto file, from.open_port(attributes.ca_name, attributes.number));
    auto name = port_name(attributes.ca_name, attributes.number);
    return opened_port{std::move(attributes), umad_file{std::move(file), std::move(name)}};
}

/// The first candidate that opens, with its file.
result<std::pair<port_attributes, std::unique_ptr<port_file>>> open_best(host& from, port_selector const& wanted)
{
    BOOST_OUTCOME_TRY(auto found, find_candidates(from, wanted));
    for (auto& [attributes, rank] : found.candidates) {
        auto file = from.open_port(attributes.ca_name, attributes.number);
        if (file)
            return std::pair{std::move(attributes), std::move(file).value()};
        if (file.error() == errc::no_infiniband && !found.no_infiniband)
            found.no_infiniband = file.error();
        found.pass_over(attributes.ca_name, attributes.number, file.error().message());
    }
    if (found.no_infiniband)
        return *found.no_infiniband;
    if (found.passed_over.empty())
        return error{errc::no_usable_port, fmt::format("host {} shows no port", from.uri())};
    return error{errc::no_usable_port, fmt::format("{}", fmt::join(found.passed_over, "; "))};
}

/// A port named in full: checked against what there is, so that a wrong name says what would be right.
result<port_attributes> query_named(host& from, port_selector const& wanted)
{
    BOOST_OUTCOME_TRY(names_to_look_at(from, wanted));
    return from.query_port(wanted.ca, *wanted.port);
}

bool is_named(port_selector const& wanted)
{
    return !wanted.ca.empty() && wanted.port.has_value();
}

} // namespace

result<port_list> list_ports(host& from)
{
    BOOST_OUTCOME_TRY(auto const names, from.ca_names());
    port_list list;
    scan(
        from, names, std::nullopt, [&](port_attributes port, node_type) { list.ports.push_back(std::move(port)); },
        [&](unreadable_port bad) { list.unreadable.push_back(std::move(bad)); });
    return list;
}

result<port_attributes> select_port(host& from, port_selector const& wanted)
{
    if (is_named(wanted))
        return query_named(from, wanted);
    BOOST_OUTCOME_TRY(auto best, open_best(from, wanted));
    return std::move(best.first);
}

result<opened_port> open_port(host& from, port_selector const& wanted)
{
    if (is_named(wanted)) {
        BOOST_OUTCOME_TRY(auto attributes, query_named(from, wanted));
        return open_named(from, std::move(attributes));
    }
    BOOST_OUTCOME_TRY(auto best, open_best(from, wanted));
    auto name = port_name(best.first.ca_name, best.first.number);
    return opened_port{std::move(best.first), umad_file{std::move(best.second), std::move(name)}};
}

std::string port_name(std::string_view ca, unsigned port)
{
    return fmt::format("{} port {}", ca, port);
}

} // namespace madrigal::umad
