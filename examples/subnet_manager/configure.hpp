// Makes the nodes of a subnet what has been decided: ports, switches, then everything active.
#pragma once

#include "ports.hpp"
#include "switches.hpp"

#include <madrigal/error.hpp>
#include <madrigal/fabric/smp_client.hpp>

#include <boost/asio/awaitable.hpp>

namespace sm {

namespace asio = boost::asio;

/// What it came to.
struct configured {
    std::uint64_t smps = 0;
    std::uint64_t failed = 0; ///< SMPs that were refused or not answered, and nodes given up
};

/// Two passes, each with all nodes at once: LIDs and link parameters are set, ports armed and tables written; then all
/// armed ports become active. What nodes answer is kept in `plan.of` and `written`. Each failure is logged. Errors:
/// those of `smp_work::run`.
[[nodiscard]] asio::awaitable<madrigal::result<configured>> configure(
    madrigal::smp_client client, subnet& of, port_plan plan, written_by_switch& written);

} // namespace sm
