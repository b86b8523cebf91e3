// Switches and what joins them, and how tables are filled once it is clear which ports lead closer.
#pragma once

#include <madrigal/subnet/managed_subnet.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace madrigal::detail {

/// A cable between two switches, or from one to itself, as one of them sees it.
struct switch_link {
    std::uint8_t port;
    unsigned peer; ///< number of a switch
};

/// By the number of a switch.
using switch_graph = std::vector<std::vector<switch_link>>;
/// Of those switches that have room for all LIDs. Of others nobody is a neighbour.
[[nodiscard]] switch_graph graph_of(managed_subnet const& of);
/// Of those for which this is true.
[[nodiscard]] switch_graph graph_of(
    managed_subnet const& of, std::function<bool(topology::node_index)> const& takes_part);

/// How far each switch is from the nearest of these; `unreached` where there is no way.
inline constexpr unsigned unreached = ~0U;
[[nodiscard]] std::vector<unsigned> distances(switch_graph const& graph, std::vector<unsigned> from);
/// The switch from which the farthest one is the nearest.
[[nodiscard]] unsigned center(switch_graph const& graph);

/// Fills tables, switch after switch.
class table_writer {
public:
    /// All entries are `no_route` then.
    explicit table_writer(managed_subnet& to);

    /// The ports by which each switch comes closer to a destination: to be filled before `write`.
    [[nodiscard]] std::vector<std::vector<std::uint8_t>>& ways() noexcept { return ways_; }
    /// Writes the entries of everything that hangs on a switch: itself, its CAs, its routers.
    void write(unsigned destination);

private:
    void write(end_port const& end, unsigned destination, std::uint8_t last);

    managed_subnet& to_;
    std::vector<std::vector<std::uint8_t>> ways_;
    std::vector<std::vector<std::uint16_t>> load_; // LIDs of CAs by switch and port
};

} // namespace madrigal::detail
