// Subnet administration: which questions are answered, and by whom.
#pragma once

#include "managed.hpp"

#include <madrigal/subnet/sa_server.hpp>
#include <madrigal/wire/p_key.hpp>
#include <madrigal/wire/status.hpp>

#include <array>
#include <span>
#include <utility>

namespace sm {

/// Opens `known.administration` with all of its handlers.
[[nodiscard]] madrigal::result<void> open_administration(managed& known);

// One function for each of the files sa_*.cpp.
/// Nodes, ports, switches and their tables, links, subnet managers: what sweeps have found.
void serve_found(madrigal::sa_server const& server, managed& known);
/// P_Keys, GUIDs and lanes: the nodes are asked when somebody wants to know, once between two sweeps.
void serve_asked(madrigal::sa_server const& server, managed& known);
/// Paths from one port to another.
void serve_paths(madrigal::sa_server const& server, managed& known);
/// Multicast groups, and who joins and leaves them.
void serve_groups(madrigal::sa_server const& server, managed& known);
/// Services that ports offer, and who wants to be told of notices.
void serve_clients(madrigal::sa_server const& server, managed& known);

/// The end ports that a question is about: that with the LID, where it names one by this member.
template <auto Lid, madrigal::wire_layout T>
[[nodiscard]] std::span<end_port const> ends_for(madrigal::sa_asked<T> const& asked, subnet const& of)
{
    if (!asked.template has<Lid>())
        return of.ends;
    auto const* const one = of.find(asked.record().*Lid);
    return one != nullptr ? std::span{one, 1} : std::span<end_port const>{};
}

/// The numbers of the ports that an end port speaks for: its own, or all of a switch.
[[nodiscard]] inline std::pair<unsigned, unsigned> ports_of(subnet const& of, end_port const& end)
{
    if (of.is_switch(end.at.node))
        return {0, of.node(end.at.node).port_count()};
    return {end.at.port, end.at.port};
}

/// The P_Key table of every port: this subnet manager makes no other partitions than the default one.
inline constexpr std::array<std::uint16_t, 1> p_keys{madrigal::default_p_key};

/// Status of an answer while there is nothing to tell yet.
inline constexpr std::uint16_t not_yet = madrigal::mad_status::busy;

} // namespace sm
