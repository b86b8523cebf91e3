// A fabric as a Graphviz graph.
#pragma once

#include <madrigal/topology/fabric.hpp>

#include <string>

namespace madrigal::topology {

/// What a graph shows.
struct graphviz_options {
    bool switches_only = false; ///< leave out CAs and routers, which drown the picture of a large fabric
};

/// An undirected graph in the DOT language (graphviz.org/doc/info/lang.html): boxes for switches, ellipses for CAs,
/// diamonds for routers, each labelled with description and GUID; an edge a cable, parallel ones and loops included,
/// with the port numbers at its ends and its rate in the middle (both where the ends differ). Labels are escaped; bytes
/// that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string write_graphviz(fabric const& from, graphviz_options const& options = {});

} // namespace madrigal::topology
