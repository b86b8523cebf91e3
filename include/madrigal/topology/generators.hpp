// Fabrics that are computed rather than read: fat trees, tori, dragonflies, random graphs.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/topology/fabric.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace madrigal::topology {

/// No generated fabric is larger.
inline constexpr std::size_t max_generated_nodes = 50'000;

/// What all shapes have in common.
struct generate_options {
    link_width width = link_width::x4;  ///< of every cable; `none` leaves it untold
    link_speed speed = link_speed::hdr; ///< of every cable; `none` leaves it untold
    /// LIDs from 1 upwards for all switches, then all CAs, with LMC 0. Unicast LIDs end at 0xBFFF: a fabric with more
    /// nodes than that cannot have them.
    bool assign_lids = false;
    /// Ports of every switch, at most 254; 0: as many as its cables need.
    unsigned switch_ports = 0;
};

/// Two levels: every leaf is cabled to every spine. The default has 702 nodes.
struct fat_tree {
    unsigned leaves = 36;
    unsigned hosts_per_leaf = 18;
    unsigned spines = 18;
    unsigned cables = 1; ///< between each leaf and each spine
};

/// Three levels: pods that are two-level fat trees; the n-th spine of every pod is cabled to every core of plane n, so
/// there are `spines_per_pod` times `cores_per_plane` cores.
struct three_level_fat_tree {
    unsigned pods = 4;
    unsigned leaves_per_pod = 4;
    unsigned hosts_per_leaf = 4;
    unsigned spines_per_pod = 4;
    unsigned cores_per_plane = 4;
};

/// Petrini and Vanneschi, "k-ary n-trees" (IPPS 1997): k^n hosts, n levels of k^(n-1) switches.
struct k_ary_n_tree {
    unsigned k = 4;
    unsigned n = 3;
};

/// A switch at every point of a grid, cabled to its two neighbours in each dimension, around the edges too. A dimension
/// of two points has one cable between them, one of a single point has none.
struct torus {
    std::vector<unsigned> sizes{4, 4}; ///< one to six dimensions
    unsigned hosts_per_switch = 1;
};

/// Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology" (ISCA 2008): the routers
/// (switches in InfiniBand's words) of a group are cabled each to each, groups are cabled each to each by as many
/// cables as the global ports allow evenly. At most routers_per_group times global_links_per_router, and one, groups.
struct dragonfly {
    unsigned groups = 9;
    unsigned routers_per_group = 4;
    unsigned hosts_per_router = 2;
    unsigned global_links_per_router = 2;
};

/// A connected graph of switches with at most `degree` cables between switches each, drawn from `seed`; parallel cables
/// happen. The hosts are spread evenly.
struct random_graph {
    unsigned switches = 16;
    unsigned hosts = 32;
    unsigned degree = 4;
    std::uint64_t seed = 1;
};

/// The fabric of that shape. The same arguments give the same fabric, everywhere. GUIDs are unique and locally
/// administered: a switch has 0x024d414453…, a CA 0x024d414448…, its port one more. Host ports come first on a switch.
/// CAs have one port. It is initiated from the first host.
///
/// Errors: `errc::invalid_argument` with the number that does not fit: a count of 0, a switch with more than 254 ports
/// (or more than `switch_ports`), more than `max_generated_nodes`, more LIDs than there are.
///
/// Thread safety: plain functions.
[[nodiscard]] result<fabric> generate(fat_tree const& shape, generate_options const& options = {});
[[nodiscard]] result<fabric> generate(three_level_fat_tree const& shape, generate_options const& options = {});
[[nodiscard]] result<fabric> generate(k_ary_n_tree const& shape, generate_options const& options = {});
[[nodiscard]] result<fabric> generate(torus const& shape, generate_options const& options = {});
[[nodiscard]] result<fabric> generate(dragonfly const& shape, generate_options const& options = {});
[[nodiscard]] result<fabric> generate(random_graph const& shape, generate_options const& options = {});

} // namespace madrigal::topology
