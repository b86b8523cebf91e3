// Reads a fabric from the text that ibnetdiscover prints and ibsim reads.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/topology/fabric.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace madrigal::topology {

/// One thing in a file that could not be taken as it is written, and what was done about it.
struct passed_over {
    std::size_t line = 0; ///< from 1; 0 where it concerns the file as a whole
    std::string text;     ///< the line, cut to what a terminal shows, unprintable bytes as `?`
    std::string reason;   ///< what was left out or assumed, and why
};

/// A fabric and what the reader passed over on the way.
struct read_outcome {
    topology::fabric fabric;
    /// The first `max_listed` of them, in the order in which the reader noticed them.
    std::vector<topology::passed_over> passed_over;
    /// All of them.
    std::size_t passed_over_total = 0;

    static constexpr std::size_t max_listed = 1000;
};

/// Reads ibnetdiscover's text (ibnetdiscover(8), "Topology file format") in its variants: chassis grouping (-g), full
/// information (-f), older versions' white space, and ibsim's dialect (names instead of GUIDs, `Hca` records, `w=` and
/// `s=` options). Comments, blank lines and CRLF are accepted anywhere. `file_name` is used in messages only.
///
/// What a file does not tell stays untold in the model, with these exceptions and rules:
/// - GUID. The line `switchguid=`, `caguid=` or `rtguid=` before a record tells it, else the id does (`S-` and 16
///   digits). A node that has neither, or 0, gets a GUID that no node or port of the file has: the locally administered
///   0x024d414401000000 (CAs), 0x024d414402000000 (switches) or 0x024d414403000000 (routers) and up, in file order.
/// - Two records may tell the same GUID under different ids: both are kept, since broken fabrics have that. Two records
///   with one id are an error.
/// - LID. 0 means none. Values outside 1 to 0xBFFF address no port; they are passed over and listed.
/// - Description. A record with a name for an id and no description takes the name, as ibsim does. A record with
/// neither
///   takes the one that a peer's line tells. NodeDescription holds 64 bytes: longer ones are cut and listed.
/// - A node's own record wins over what its peers' lines say of it (LID, port GUID); a contradiction is listed.
/// - A cable that only one end tells counts. The other end's width and speed stay untold.
/// - A peer without a record is added, and listed, where its id tells type and GUID; its port count is the highest
///   number that is mentioned.
/// - What stands behind the `#` of a line never makes a file unacceptable; what is not understood there is listed.
///
/// Errors: `errc::malformed_topology` with `file:line: what was wrong, what was expected` for a record or port line
/// that cannot be parsed, a port outside 1 to the node's port count, two different peers for one port, a duplicate id,
/// a peer that is nowhere defined, and a text without any record.
///
/// Thread safety: a plain function.
[[nodiscard]] result<read_outcome> read_ibnetdiscover(std::string_view text, std::string file_name);

/// The same for a file. Errors besides: errno of opening and reading it; files over 256 MiB are malformed.
[[nodiscard]] result<read_outcome> read_ibnetdiscover_file(std::string const& path);

} // namespace madrigal::topology
