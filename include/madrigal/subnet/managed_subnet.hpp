// A subnet as one sweep has found it, and what has been decided about it.
#pragma once

#include <madrigal/fabric/discovery.hpp>
#include <madrigal/wire/attributes/linear_forwarding_table.hpp>
#include <madrigal/wire/types.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace madrigal {

/// A port with LIDs, or that shall have some: one of a CA or router, or a switch's port 0.
struct end_port {
    topology::endpoint at;
    guid port_guid;
    lid base_lid; ///< the first of its LIDs
    std::uint8_t lmc = 0;

    [[nodiscard]] unsigned lid_count() const noexcept { return 1U << lmc; }
    /// Its LID with these path bits.
    [[nodiscard]] lid lid_with(unsigned path_bits) const noexcept
    {
        return lid{static_cast<std::uint16_t>(base_lid.value() + path_bits)};
    }
};

/// Where a switch sends LIDs, from LID 0 on.
using forwarding_table = std::vector<std::uint8_t>;

/// What a subnet manager knows of its subnet and has decided about it. Nodes are numbered as in `found`, which has
/// their cables and attributes; switches are numbered besides. The steps that decide, each in its header: `assign_lids`
/// (lid_assignment.hpp), then `route_min_hop` or `route_up_down` (routing.hpp); those that say what must be written to
/// the nodes: port_plan.hpp, switch_tables.hpp, multicast_trees.hpp. None of them sends anything. Belongs to one thread
/// at a time.
class managed_subnet {
public:
    /// Of a sweep with `discover_options::keep_attributes`, from the port that will be the subnet manager's.
    explicit managed_subnet(discovery discovered);

    discovery found;
    std::vector<end_port> ends; ///< those that can be reached; the subnet manager's own first, where it has a link
    std::vector<topology::node_index> switches;
    std::vector<forwarding_table> tables;                ///< of each switch
    std::uint64_t subnet_prefix = default_subnet_prefix; ///< of its GIDs, host byte order
    std::uint16_t top = 0;                               ///< the highest LID
    std::unordered_map<std::uint64_t, unsigned> by_guid; ///< ports by their GUIDs, as numbers of `ends`

    /// A node, by its number.
    [[nodiscard]] topology::node const& node(topology::node_index index) const { return found.fabric.at(index); }
    /// Whether a node, by its number, is a switch.
    [[nodiscard]] bool is_switch(topology::node_index index) const noexcept { return switch_number_[index] != none; }
    /// Of a node that is one.
    [[nodiscard]] unsigned switch_number(topology::node_index index) const noexcept { return switch_number_[index]; }
    /// What a port has said; all of it 0 where it has not been asked or has not answered.
    [[nodiscard]] port_info const& info(topology::endpoint at) const
    {
        return found.attributes[at.node].ports[at.port];
    }
    /// The same, to be kept up to date with what the port has been told.
    [[nodiscard]] port_info& info(topology::endpoint at) { return found.attributes[at.node].ports[at.port]; }
    /// The other end of the cable at an external port; none where there is none, or where its end does not answer.
    [[nodiscard]] topology::endpoint peer(topology::endpoint at) const
    {
        return node(at.node).external_port(at.port).peer;
    }
    /// The port from which the sweep began. Null where it has no link.
    [[nodiscard]] end_port const* own() const noexcept { return has_own_ ? &ends.front() : nullptr; }
    /// The end port that a port belongs to: a switch's port 0, or the port itself. Null where that is out of reach.
    [[nodiscard]] end_port const* end_of(topology::endpoint at) const;
    /// The port that has a LID, once `assign_lids` has been there. Null where nobody has it.
    [[nodiscard]] end_port const* find(lid address) const;
    /// The port that has a GUID; of several the first. Null where there is none.
    [[nodiscard]] end_port const* find(guid port_guid) const;
    /// The port that has a GID of this subnet, by its prefix or the default one. Null for any other.
    [[nodiscard]] end_port const* find(gid const& name) const;
    /// The first of a port's GIDs.
    [[nodiscard]] gid gid_of(end_port const& end) const noexcept { return {subnet_prefix, end.port_guid}; }
    /// The shortest way to a node.
    [[nodiscard]] directed_route const& route(topology::node_index index) const { return found.routes[index]; }
    /// The way to an end port: to a CA's second port by that port, as it answers for itself only.
    [[nodiscard]] directed_route route(end_port const& end) const;
    /// Finds out anew who has which LID, and which is the highest.
    void index_lids();
    /// For messages: `S-0002c90200419cb8 "leaf 3"`.
    [[nodiscard]] std::string name(topology::node_index index) const;

private:
    static constexpr unsigned none = ~0U;
    bool has_own_ = false;
    std::vector<unsigned> switch_number_;
    std::vector<std::uint16_t> end_by_lid_; // number of the end port and 1
    std::unordered_map<std::uint64_t, unsigned> end_by_place_;
};

} // namespace madrigal
