// Gives every port its LIDs, the same as before wherever that can be.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/subnet/managed_subnet.hpp>

#include <cstdint>
#include <map>

namespace madrigal {

/// The first LID that a port has had, by the port's GUID: what a subnet manager keeps across restarts, so that paths
/// which others have looked up stay true.
using known_lids = std::map<guid, lid>;

/// Gives each end port 2 to the power of `lmc` LIDs, 0 to 7; a switch's base port 0 gets one (IBA 14.2.5.6). First
/// those that `known` says, then those that it has now if nobody else is known by them, then free ones; LIDs that are
/// known of ports which are not there are given away last. Of ports with equal GUIDs the first gets what is known.
/// `known` has all of them afterwards, and of other ports those whose LIDs nobody else has got. Errors:
/// errc::invalid_argument where there are more ports than LIDs, with a port that is left without.
[[nodiscard]] result<void> assign_lids(managed_subnet& to, known_lids& known, unsigned lmc = 0);

} // namespace madrigal
