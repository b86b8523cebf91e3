// Forwarding tables out of a subnet whose ports have LIDs.
#pragma once

#include <madrigal/subnet/managed_subnet.hpp>
#include <madrigal/wire/types.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace madrigal {

/// Fills `to.tables` with entries for all LIDs: by the fewest hops, and of several ports that are as good by the one
/// that the fewest LIDs of CAs go through so far. Entries without a way are `no_route`. In a network with circles
/// packets of different ways can wait for each other for ever (a credit loop); `has_credit_loop` tells.
void route_min_hop(managed_subnet& to);

/// The same by up and down: every way first goes towards the roots and then away from them, so that there are no credit
/// loops. Two switches between which there is no such way do not reach each other (two roots, say); between CAs, and
/// between a CA and a switch, there always is one if there is any way at all. `roots` are GUIDs of switches; where
/// there are none, the switches farthest from the CAs. Roots that would leave a CA out of reach are not used, but the
/// central switch instead. Returns the roots that were used.
std::vector<guid> route_up_down(managed_subnet& to, std::span<guid const> roots = {});

/// How many entries are missing: LIDs of CAs and routers that a switch has no way to.
[[nodiscard]] std::size_t missing_routes(managed_subnet const& in) noexcept;

/// Whether the ways to CAs and routers, as they stand in `in.tables`, can wait for each other in a circle: the cables
/// that they lead over, one after the other, form one (Dally and Seitz's channel dependency graph).
[[nodiscard]] bool has_credit_loop(managed_subnet const& in);

} // namespace madrigal
