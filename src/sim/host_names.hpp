// Names: what a machine would call its adapter, and which node somebody means.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/topology/fabric.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace madrigal::sim {

/// The device name that a kernel would give: the one that the description tells (`node7 mlx5_2`), else one of the
/// family that vendor and device id belong to (`mlx5_0`).
[[nodiscard]] std::string device_name(topology::node const& of);

/// The node that somebody means by a GUID (of node or port), an id of the file, a description or a device name; the
/// first CA where nothing is said, the first node where there is no CA. errc::no_such_ca with candidates where there is
/// none, or more than one.
[[nodiscard]] result<topology::node_index> find_ca(topology::fabric const& in, std::optional<std::string_view> wanted);

/// The same for a person who looks at the whole fabric: `errc::no_such_node` with the likeliest candidates.
[[nodiscard]] result<topology::node_index> find_node(topology::fabric const& in, std::string_view wanted);

} // namespace madrigal::sim
