// A look at the whole subnet that asks little: has anything changed?
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/subnet/managed_subnet.hpp>
#include <madrigal/subnet/smp_work.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <vector>

namespace madrigal {

/// What a look at a subnet has found.
struct subnet_changes {
    std::vector<topology::node_index> switches; ///< those that say that a port of theirs has changed
    bool own_link_lost = false;                 ///< our own port is not Active, or was not found by the sweep
    std::uint64_t unanswered = 0;               ///< SMPs; refusals count too

    [[nodiscard]] bool any() const noexcept { return own_link_lost || !switches.empty(); }
};

/// Asks every switch whether one of its ports has changed (PortStateChange of SwitchInfo, IBA 14.2.5.4), and our own
/// port for its state: who has no link yet is told of nothing. Changes nothing: a switch goes on saying so until a
/// sweep with `discover_options::clear_port_state_change`. `of` must live until this has ended. Errors: those of
/// `smp_work::run`. To be run on the loop.
[[nodiscard]] asio::awaitable<result<subnet_changes>> look_for_changes(
    smp_client by, managed_subnet const& of, smp_work_options how = smp_work_options{});

/// Whether, in the sweep that `in` was made of, a switch said that one of its ports had changed.
[[nodiscard]] bool has_port_state_change(managed_subnet const& in) noexcept;

} // namespace madrigal
