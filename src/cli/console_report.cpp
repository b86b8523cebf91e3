#include "cli/console_report.hpp"

#include <madrigal/wire/fixed_text.hpp>
#include <madrigal/wire/registry.hpp>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string_view>
#include <vector>

namespace madrigal::cli {
namespace {

std::string_view type_text(node_type type)
{
    switch (type) {
    case node_type::switch_: return "switch";
    case node_type::router: return "router";
    default: return "CA";
    }
}

unsigned first_port(topology::node const& of)
{
    return of.type == node_type::switch_ ? 0 : 1;
}

sim::fabric::port_view look(sim::fabric const& at, topology::node_index node, unsigned port)
{
    return at.look_at(topology::endpoint{node, static_cast<std::uint8_t>(port)}).value();
}

/// A port's place in the subnet: its LID, its SM's, and whether it says that an SM runs there.
std::string subnet_text(sim::fabric::port_view const& port)
{
    std::string text = fmt::format("LID {}", port.base_lid.value());
    if (port.lmc != 0)
        text += fmt::format(" LMC {}", port.lmc);
    text += fmt::format(", SM LID {}", port.sm_lid.value());
    if (port.is_sm)
        text += ", IsSM";
    return text;
}

/// `12 Active, 3 Down`, in the order of the states.
std::string states_text(sim::fabric const& of, topology::node_index node)
{
    std::array<unsigned, 6> in_state{};
    auto const& given = of.layout().at(node);
    for (unsigned port = 1; port <= given.ports.size(); ++port)
        ++in_state.at(static_cast<std::size_t>(look(of, node, port).state));
    std::string text;
    for (auto const state : {port_state::active, port_state::armed, port_state::init, port_state::down})
        if (auto const count = in_state.at(static_cast<std::size_t>(state)); count != 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(state));
    return text;
}

/// `20us`: with the largest unit of which it is a whole number.
std::string time_text(duration time)
{
    auto const count = std::chrono::nanoseconds{time}.count();
    if (count == 0)
        return "0";
    for (auto const& [size, unit] : {std::pair{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}})
        if (count % size == 0)
            return fmt::format("{}{}", count / size, unit);
    return fmt::format("{}ns", count);
}

/// Calls `visitor(name, count)` for each counter.
template <class Visitor>
void for_each_counter(port_counters_extended const& counts, Visitor const& visitor)
{
    for_each_value(counts, [&](field_description const& field, std::size_t, auto const& value) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::uint64_t>)
            visitor(field.name, value);
    });
}

constexpr std::array<std::string_view, static_cast<std::size_t>(sim::drop_reason::count_)> drop_names{"loss",
    "fault rule", "link down", "port not active", "no route", "hop limit", "bad directed route", "wrong destination",
    "node off", "M_Key", "Q_Key", "P_Key", "malformed", "queue full", "unmatched", "late answer", "receive list full",
    "repeated question"};

} // namespace

std::string node_text(sim::fabric const& of, topology::node_index node)
{
    auto const& given = of.layout().at(node);
    return fmt::format("{} \"{}\"", given.id.empty() ? topology::canonical_id(given.type, given.node_guid) : given.id,
        printable(given.description));
}

std::string port_text(sim::fabric const& of, topology::endpoint port)
{
    return fmt::format("{} port {}", node_text(of, port.node), port.port);
}

std::string link_state_text(sim::fabric::port_view const& port)
{
    return fmt::format("{}, {}", to_string(port.state), to_string(port.phys_state));
}

std::string node_summary(sim::fabric const& of, topology::node_index node)
{
    auto const& given = of.layout().at(node);
    auto const state = of.look_at(node).value();
    auto text = fmt::format("{} {}: {}", type_text(given.type), node_text(of, node),
        !state.on ? "off" : (!state.in_host ? "unplugged" : "on"));
    if (given.type == node_type::switch_)
        text += ", " + subnet_text(look(of, node, 0));
    else
        for (unsigned port = 1; port <= given.ports.size(); ++port)
            if (auto const seen = look(of, node, port); seen.base_lid.value() != 0 || seen.is_sm)
                text += fmt::format(", port {} {}", port, subnet_text(seen));
    if (auto const states = states_text(of, node); !states.empty())
        text += "; ports: " + states;
    if (state.files != 0)
        text += fmt::format("; {} umad files open", state.files);
    return text + "\n";
}

std::string node_dump(sim::fabric const& of, topology::node_index node)
{
    auto const& given = of.layout().at(node);
    auto text = node_summary(of, node);
    for (unsigned port = first_port(given); port <= given.ports.size(); ++port) {
        auto const seen = look(of, node, port);
        text += fmt::format("  port {}: {}", port, link_state_text(seen));
        if (port == 0 || given.type != node_type::switch_)
            text += fmt::format(", {}, GUID {}", subnet_text(seen), to_string(seen.port_guid));
        if (seen.m_key_violations != 0)
            text += fmt::format(", {} M_Key violations", seen.m_key_violations);
        if (port == 0) {
            text += "\n";
            continue;
        }
        if (auto const peer = given.external_port(port).peer) {
            text += fmt::format(", {} {}, {} {}", to_string(seen.width), to_string(seen.speed),
                seen.plugged ? "to" : "taken out of", port_text(of, peer));
            if (seen.cable_loss)
                text += fmt::format(", loss {}", *seen.cable_loss);
        }
        text += "\n";
    }
    return text;
}

std::string port_counters_text(sim::fabric const& of, topology::endpoint port)
{
    auto text = port_text(of, port) + ":\n";
    for_each_counter(of.port_counts(port).value(),
        [&](std::string_view name, std::uint64_t count) { text += fmt::format("  {} {}\n", name, count); });
    return text;
}

std::string node_counters_text(sim::fabric const& of, topology::node_index node)
{
    auto const& given = of.layout().at(node);
    std::string text;
    for (unsigned number = first_port(given); number <= given.ports.size(); ++number) {
        topology::endpoint const port{node, static_cast<std::uint8_t>(number)};
        text += port_text(of, port) + ":";
        auto const before = text.size();
        for_each_counter(of.port_counts(port).value(), [&](std::string_view name, std::uint64_t count) {
            if (count != 0)
                text += fmt::format(" {} {}", name, count);
        });
        if (text.size() == before)
            text += " all 0";
        text += "\n";
    }
    return text.empty() ? node_text(of, node) + " has no ports\n" : text;
}

std::string fabric_counters_text(sim::fabric_counters const& counts)
{
    auto text = fmt::format("packets {}, repeated {}, hops {}, answered {}, duplicated {}, traps {}, dropped {}",
        counts.transmitted, counts.retransmitted, counts.hops, counts.answered, counts.duplicated, counts.traps,
        counts.drops());
    std::string_view before = " (";
    for (std::size_t reason = 0; reason != drop_names.size(); ++reason)
        if (auto const dropped = counts.drops(static_cast<sim::drop_reason>(reason)); dropped != 0) {
            text += fmt::format("{}{} {}", before, drop_names.at(reason), dropped);
            before = ", ";
        }
    return text + (before == ", " ? ")\n" : "\n");
}

std::string server_counters_text(remote::server_counters const& counts)
{
    return fmt::format(
        "clients {}, ever {}; umad files {}, ever {}; issm files {}; packets in {}, out {}; writes refused later {}; "
        "clients put out {}\n",
        counts.clients, counts.clients_total, counts.files, counts.files_total, counts.issm_files, counts.packets_in,
        counts.packets_out, counts.refused_writes, counts.broken_clients);
}

std::string faults_text(sim::fault_options const& faults)
{
    return fmt::format("loss {}, duplicate {}, latency {}, jitter {}, service {}\n", faults.loss, faults.duplicate,
        time_text(faults.hop_latency), time_text(faults.jitter), time_text(faults.service_time));
}

} // namespace madrigal::cli
