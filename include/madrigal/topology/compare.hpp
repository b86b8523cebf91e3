// What differs between two fabrics, in words.
#pragma once

#include <madrigal/topology/fabric.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace madrigal::topology {

/// What `differences` looks at besides nodes (type, port count, description) and cables (port by port, width and
/// speed).
struct compare_options {
    bool lids = false;        ///< LIDs and LMCs
    bool identifiers = false; ///< port and system image GUIDs, vendor and device IDs, enhanced port 0
};

/// One sentence for each difference, at most `limit` of them; empty where the fabrics are the same. Nodes are matched
/// by node GUID, so their order and their ids do not matter; nodes that share a GUID are matched in order.
///
/// The first fabric is the one that is expected: what it does not tell (width, speed, a LID, a port GUID) is not asked
/// of the second one, and what it does tell must be there.
[[nodiscard]] std::vector<std::string> differences(
    fabric const& a, fabric const& b, std::size_t limit = 100, compare_options const& options = {});

} // namespace madrigal::topology
