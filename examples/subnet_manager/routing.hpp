// Forwarding tables out of a subnet whose ports have LIDs.
#pragma once

#include "settings.hpp"
#include "subnet.hpp"

#include <cstddef>

namespace sm {

/// A cable between two switches, or from one to itself, as one of them sees it.
struct switch_link {
    std::uint8_t port;
    unsigned peer; ///< number of a switch
};

/// The switches and what joins them.
using switch_graph = std::vector<std::vector<switch_link>>;
[[nodiscard]] switch_graph graph_of(subnet const& of);

/// Chooses among ports that are equally good for a LID: that by which the fewest LIDs of CAs go so far.
class port_balance {
public:
    explicit port_balance(subnet const& of);
    std::uint8_t choose(unsigned of_switch, std::vector<std::uint8_t> const& ports, bool counts);

private:
    std::vector<std::vector<std::uint16_t>> load_;
};

/// Fills `to.tables`: entries for all LIDs of all end ports, 255 where there is no way. By the fewest hops.
void route_min_hop(subnet& to);
/// By up and down: every way first goes towards the roots and then away from them, so that no packets can wait for each
/// other in a circle. Two switches between which there is no such way do not reach each other; all else does.
/// Roots that leave CAs apart are not used; the central switch is the root then.
void route_up_down(subnet& to, std::vector<madrigal::guid> const& roots);

/// LIDs of CAs and routers that a switch has no entry for.
[[nodiscard]] std::size_t unreachable_ends(subnet const& in);

/// Fills in the entries of everything that hangs on a switch: itself, its CAs, its routers. `ways` are the ports by
/// which other switches come closer to it: a list for each of them.
void route_to_ends_of(
    subnet& to, unsigned destination, std::vector<std::vector<std::uint8_t>> const& ways, port_balance& balance);

} // namespace sm
