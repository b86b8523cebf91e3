// Makes the nodes of a subnet what has been decided.
#pragma once

#include <madrigal/engine/multicast_registry.hpp>
#include <madrigal/error.hpp>
#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/subnet/port_plan.hpp>
#include <madrigal/subnet/smp_work.hpp>
#include <madrigal/subnet/switch_tables.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace madrigal {

/// What it came to.
struct write_report {
    std::uint64_t smps = 0;          ///< sent; see `smp_work_report::smps_sent`
    std::uint64_t failed = 0;        ///< SMPs that were refused or not answered, and nodes that were given up
    std::size_t not_active = 0;      ///< ports with cables that are not Active now
    std::vector<guid> reregistered;  ///< end ports that have been told to have their clients register again
    std::vector<std::string> faults; ///< a sentence for each of the first failures

    /// Everything is as it was decided.
    [[nodiscard]] bool complete() const noexcept { return failed == 0 && not_active == 0; }
};

/// Two passes, each with all nodes at once: first LIDs, keys and link parameters are set, ports armed and tables of
/// switches written; then all armed ports become Active. Only what is not yet so is written. What nodes answer is kept
/// in `of` and `written`, all of which must live until this has ended. Errors: those of `smp_work::run`. To be run on
/// the loop.
[[nodiscard]] asio::awaitable<result<write_report>> write_subnet(smp_client by, managed_subnet& of,
    port_policy const& policy, switch_tables& written, smp_work_options how = smp_work_options{});

/// The ways of groups, after that or when groups have changed: multicast_trees.hpp.
[[nodiscard]] asio::awaitable<result<write_report>> write_groups(smp_client by, managed_subnet& of,
    engine::multicast_registry const& groups, switch_tables& written, smp_work_options how = smp_work_options{});

} // namespace madrigal
