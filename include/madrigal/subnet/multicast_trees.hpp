// Ways for multicast groups.
#pragma once

#include <madrigal/engine/multicast_registry.hpp>
#include <madrigal/subnet/managed_subnet.hpp>
#include <madrigal/subnet/switch_tables.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace madrigal {

/// A port that a group's tree must reach.
struct tree_member {
    end_port const* port;
    bool receives = true; ///< a member that only sends does not
};

/// How many groups with MLIDs of their own all the switches have room for, those apart that have next to none:
/// `engine::multicast_registry::set_multicast_lids`.
[[nodiscard]] std::uint16_t most_groups(managed_subnet const& of) noexcept;

/// One tree over all switches, out of which each group takes the part that joins its members: so no group has a circle,
/// and nobody who is no member gets anything. Where no cables join parts of the subnet, each has a tree of its own.
/// Switches that have next to no room for groups are left out.
class multicast_trees {
public:
    /// Grows from the central switch. The subnet must outlive it.
    explicit multicast_trees(managed_subnet const& of);

    /// Adds the ways of a group. A member that hangs on no switch is left out.
    void add(lid group, std::span<tree_member const> members);
    /// The same for all groups of a registry; members that the subnet does not have are left out.
    void add(engine::multicast_registry const& groups);

    /// The blocks of each switch's multicast forwarding table, by the number of the switch.
    [[nodiscard]] std::vector<multicast_blocks>& blocks() noexcept { return blocks_; }

private:
    struct branch {
        unsigned parent = 0;
        std::uint8_t to_parent = 0;   ///< port of the child
        std::uint8_t from_parent = 0; ///< port of the parent
        bool is_root = true;
        unsigned root = 0; ///< of the part that the switch is in
    };
    void set_port(unsigned switch_number, lid group, unsigned port);

    managed_subnet const& of_;
    std::vector<branch> up_; ///< by the number of a switch
    std::vector<unsigned> leaves_first_;
    std::vector<multicast_blocks> blocks_;
};

} // namespace madrigal
