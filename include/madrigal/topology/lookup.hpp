// Finds the node that a person means.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/topology/fabric.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace madrigal::topology {

/// The node that `name` means: the id of the file (`S-0002c90200419cb8`, `Switch1`), else a node or port GUID
/// (`0x2c90200419cb8` or 16 digits), else a description that one node alone has.
///
/// Errors: `errc::no_such_node`; the context lists candidates, or the nodes among which the name does not decide.
[[nodiscard]] result<node_index> find_named(fabric const& in, std::string_view name);

/// What may have been meant by a name that no node has, likeliest first: `id "description"`, at most `limit` of them.
[[nodiscard]] std::vector<std::string> candidates(fabric const& in, std::string_view name, std::size_t limit = 5);

} // namespace madrigal::topology
