// A fabric as data: nodes, ports, cables.
#pragma once

#include <madrigal/wire/link.hpp>
#include <madrigal/wire/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace madrigal::topology {

/// Index of a node in `fabric::nodes()`.
using node_index = std::uint32_t;
inline constexpr node_index no_node = 0xFFFF'FFFF;

/// One end of a cable.
struct endpoint {
    node_index node = no_node;
    std::uint8_t port = 0;

    [[nodiscard]] explicit operator bool() const noexcept { return node != no_node; }
    friend auto operator<=>(endpoint const&, endpoint const&) = default;
};

/// One port of a node. What a source does not tell stays empty or zero. The two ends of a cable keep their own width
/// and speed, since real dumps hold unequal ones.
struct port {
    std::optional<guid> port_guid;   ///< as given; CAs and routers; for a switch see `node::port_guid`
    std::optional<lid> base_lid;     ///< CAs and routers; for a switch see `node::base_lid`
    std::optional<std::uint8_t> lmc; ///< 0 to 7
    endpoint peer;                   ///< no_node where nothing is plugged in
    link_width width = link_width::none;
    link_speed speed = link_speed::none;

    friend bool operator==(port const&, port const&) = default;
};

/// A switch, CA or router.
struct node {
    node_type type = node_type::ca;
    std::string id; ///< the name in the file: `S-0002c9…`, or any other word
    std::string description;
    guid node_guid; ///< from the file, or assigned by the reader where it has none
    std::optional<guid> system_image_guid;
    std::optional<guid> port_guid; ///< switches: GUID of port 0, in parentheses in the dump
    std::uint32_t vendor_id = 0;   ///< 24 bits
    std::uint16_t device_id = 0;
    bool enhanced_port0 = false;     ///< switches
    std::optional<lid> base_lid;     ///< switches: LID of port 0
    std::optional<std::uint8_t> lmc; ///< switches: LMC of port 0
    std::vector<port> ports;         ///< index 0 is external port 1

    [[nodiscard]] std::uint8_t port_count() const noexcept { return static_cast<std::uint8_t>(ports.size()); }
    /// External port `number`, 1 to port_count(); `std::out_of_range` for any other.
    [[nodiscard]] port const& external_port(unsigned number) const { return ports.at(number - 1); }
    /// The same, to be changed.
    [[nodiscard]] port& external_port(unsigned number) { return ports.at(number - 1); }

    friend bool operator==(node const&, node const&) = default;
};

/// Ports of one node are numbered from 1 to this: 0 is the management port, 255 means "all" or "none" (IBA 14.2.5.3).
inline constexpr unsigned max_node_ports = 254;

/// The name that ibnetdiscover gives a node: `S-`, `H-` or `R-` and 16 digits of its GUID.
[[nodiscard]] std::string canonical_id(node_type type, guid node_guid);

/// Numbers of a fabric; a cable counts once.
struct fabric_counts {
    std::size_t switches = 0;
    std::size_t cas = 0;
    std::size_t routers = 0;
    std::size_t links = 0;
    friend bool operator==(fabric_counts const&, fabric_counts const&) = default;
};

/// Nodes and the cables between their ports. Cables always have two ends: `connect` sets both. Not thread-safe; reading
/// from several threads is fine.
class fabric {
public:
    /// Adds a node; its id and a non-zero GUID are found by `find` from then on. Several nodes may share a GUID (broken
    /// fabrics do) or an id: `find` gives the first, `find_all` all of them.
    node_index add(node value);
    /// Plugs a cable between two free ports. False, with nothing changed, where a port does not exist or is taken. Both
    /// ends may be ports of one node, or even one port: a loopback plug.
    bool connect(endpoint a, endpoint b);
    /// Pulls the cable out of a port: both ends are free afterwards, width and speed forgotten. False where there is
    /// none.
    bool disconnect(endpoint end);

    /// Makes room for so many nodes at once.
    void reserve(std::size_t nodes) { nodes_.reserve(nodes); }

    [[nodiscard]] std::vector<node> const& nodes() const noexcept { return nodes_; }
    /// Throws `std::out_of_range` for an index that no node has.
    [[nodiscard]] node const& at(node_index index) const { return nodes_.at(index); }
    /// The same, to be changed: but for its cables (`connect`, `disconnect`), and for id and GUID, by which it is
    /// found.
    [[nodiscard]] node& at(node_index index) { return nodes_.at(index); }
    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

    /// By node GUID; no_node where there is none.
    [[nodiscard]] node_index find(guid node_guid) const noexcept;
    /// By the id that the file gives it; no_node where there is none.
    [[nodiscard]] node_index find(std::string_view id) const;
    /// Every node with this GUID, in the order of `nodes()`; more than one where a GUID is given twice.
    [[nodiscard]] std::vector<node_index> find_all(guid node_guid) const;
    /// Every node with exactly this description; many nodes may share one.
    [[nodiscard]] std::vector<node_index> find_all_by_description(std::string_view description) const;
    /// The node that has a port with this GUID, and the port's number (0 for a switch's port 0).
    [[nodiscard]] endpoint find_port(guid port_guid) const noexcept;

    [[nodiscard]] fabric_counts counts() const noexcept;

    /// The node and port that a dump says it was initiated from, where it does.
    std::optional<guid> initiated_from_node;
    std::optional<guid> initiated_from_port;

private:
    struct id_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view id) const noexcept { return std::hash<std::string_view>{}(id); }
    };

    [[nodiscard]] port* port_at(endpoint end) noexcept;

    std::vector<node> nodes_;
    std::unordered_map<std::uint64_t, node_index> by_guid_;
    std::unordered_map<std::string, node_index, id_hash, std::equal_to<>> by_id_;
};

} // namespace madrigal::topology
