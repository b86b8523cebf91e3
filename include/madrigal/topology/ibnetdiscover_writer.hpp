// Prints a fabric as ibnetdiscover does.
#pragma once

#include <madrigal/topology/fabric.hpp>

#include <cstdint>
#include <string>

namespace madrigal::topology {

/// How the text names nodes and when.
struct ibnetdiscover_options {
    /// What stands for a node, in quotation marks.
    enum class ids : std::uint8_t {
        canonical, ///< letter and GUID, as ibnetdiscover names nodes: what other tools expect
        as_given,  ///< `node::id`, so that a file with other names keeps them
    };

    ids node_ids = ids::canonical;
    /// The date in the first line, as ctime(3) prints it. Empty: the line names no date, so equal fabrics give equal
    /// text.
    std::string generated_on = {};
};

/// The text of ibnetdiscover(8) without grouping: switches, CAs, routers, each kind in the order of `fabric::nodes()`,
/// the cabled ports of each in ascending order, tabs, quotation marks and columns as rdma-core prints them.
///
/// What the fabric does not tell is left out where the format allows it: port GUIDs, system image GUID, width and
/// speed. A width or speed that is told without the other has question marks for it, a LID that is not told is 0.
/// Control characters in descriptions become blanks, and descriptions end after 64 bytes. Where several nodes share a
/// GUID, the first has the canonical id, the others their given one or the canonical one with `.2`, `.3`, … behind it.
///
/// `read_ibnetdiscover` gives the same fabric back, and writing that gives the same text.
///
/// Thread safety: a plain function; the fabric must not change meanwhile.
[[nodiscard]] std::string write_ibnetdiscover(fabric const& from, ibnetdiscover_options const& options = {});

/// The report of `ibnetdiscover --ports`: a line for each port, cabled or not, from the highest number of a node to 1:
/// type, LID, port number, port GUID, width, speed, and for a cabled port the same of its peer. Columns and padding as
/// rdma-core prints them; `??` and `???` for a width and speed that is not told.
[[nodiscard]] std::string write_ports_report(fabric const& from);

} // namespace madrigal::topology
