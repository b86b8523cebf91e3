// Other subnet managers, as a sweep finds them.
#pragma once

#include <madrigal/fabric/discovery.hpp>
#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/runtime/destination.hpp>
#include <madrigal/wire/attributes/sm_info.hpp>

#include <boost/asio/awaitable.hpp>

#include <vector>

namespace madrigal {

/// A subnet manager that a sweep has seen: what it says of itself, and how to reach it.
struct seen_sm {
    sm_info info; ///< of a silent one nothing but the GUID of its port
    destination where;
    /// It has not answered SMInfo in time, though its port says IsSM and its node answers: too busy, perhaps, and the
    /// master.
    bool silent = false;
};

/// Asks every end port of a fabric that has been swept, each along a directed route of its own, whether it is a subnet
/// manager's (IsSM in PortInfo.CapabilityMask), and those that are for SMInfo. So each port of a CA is asked, whichever
/// the sweep came in by. Where the sweep has kept attributes (`discover_options::keep_attributes`) those tell. Ports
/// that do not answer, or refuse SMInfo, are left out; the asker's own port is among the others.
///
/// The questions say `own` of who asks: some show their SM_Key only to who knows it already (`smp_server`), and 0 to
/// all others. So who asks shows its SM_Key to every port that says IsSM, but to no other.
///
/// Run it on the loop of the client's port. The discovery is read by this call, before anything is awaited.
/// Cancellation: any type; what has been seen until then is given.
[[nodiscard]] asio::awaitable<std::vector<seen_sm>> find_managers(
    smp_client by, discovery const& in, sm_info const& own = {});

} // namespace madrigal
