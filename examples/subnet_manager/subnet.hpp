// A subnet as one sweep has found it, and what has been decided about it.
#pragma once

#include <madrigal/fabric/discovery.hpp>
#include <madrigal/wire/attributes/linear_forwarding_table.hpp>
#include <madrigal/wire/types.hpp>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sm {

using madrigal::topology::endpoint;
using madrigal::topology::node_index;

/// A port with LIDs: one of a CA or router, or a switch's port 0.
struct end_port {
    endpoint at;
    madrigal::guid guid;
    madrigal::lid lid; ///< the first of its LIDs
    std::uint8_t lmc = 0;

    [[nodiscard]] unsigned lid_count() const noexcept { return 1U << lmc; }
};

/// Where a switch sends LIDs, from LID 0 on.
using forwarding_table = std::vector<std::uint8_t>;

/// All of it. Nodes and switches are numbered; `found` has the nodes, their cables and attributes.
class subnet {
public:
    explicit subnet(madrigal::discovery discovered);

    madrigal::discovery found;
    std::vector<end_port> ends; ///< those that can be reached, the SM's own first
    std::vector<node_index> switches;
    std::vector<forwarding_table> tables;                ///< of each switch
    std::uint16_t top = 0;                               ///< the highest LID
    std::unordered_map<std::uint64_t, unsigned> by_guid; ///< ports by their GUIDs, as numbers of `ends`

    [[nodiscard]] madrigal::topology::node const& node(node_index index) const { return found.fabric.at(index); }
    [[nodiscard]] bool is_switch(node_index index) const noexcept { return switch_number_[index] != none; }
    /// Of a node that is one.
    [[nodiscard]] unsigned switch_number(node_index index) const noexcept { return switch_number_[index]; }
    [[nodiscard]] madrigal::port_info const& info(endpoint at) const
    {
        return found.attributes[at.node].ports[at.port];
    }
    [[nodiscard]] madrigal::port_info& info(endpoint at) { return found.attributes[at.node].ports[at.port]; }
    /// The other end of the cable at an external port; none where there is none, or where its end does not answer.
    [[nodiscard]] endpoint peer(endpoint at) const { return node(at.node).external_port(at.port).peer; }
    /// The end port that a port belongs to: a switch's port 0, or the port itself. Null where that is out of reach.
    [[nodiscard]] end_port const* end_of(endpoint at) const;
    /// The port that has a LID, or a GUID.
    [[nodiscard]] end_port const* find(madrigal::lid lid) const;
    [[nodiscard]] end_port const* find(madrigal::guid guid) const;
    /// The way to a port for SMPs: to its switch, or to a CA by that port.
    [[nodiscard]] madrigal::directed_route const& route(node_index index) const { return found.routes[index]; }
    /// The way to an end port.
    [[nodiscard]] madrigal::directed_route route(end_port const& end) const;
    /// Fills in who has which LID, once all have one.
    void index_lids();
    [[nodiscard]] std::string name(node_index index) const;

private:
    static constexpr unsigned none = ~0U;
    std::vector<unsigned> switch_number_;
    std::vector<std::uint16_t> end_by_lid_; // number of the end port and 1
    std::unordered_map<std::uint64_t, unsigned> end_by_place_;
};

} // namespace sm
