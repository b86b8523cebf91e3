// Names and descriptions as the text formats need them.
#pragma once

#include <madrigal/topology/fabric.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace madrigal::topology::detail {

/// For each node a word that no other node has and that can stand between quotation marks.
[[nodiscard]] std::vector<std::string> unique_ids(fabric const& from, bool prefer_given);

/// Blanks for control characters, and no more than NodeDescription's 64 bytes.
[[nodiscard]] std::string one_line_description(std::string_view description);

/// Each byte that is no part of valid UTF-8 becomes U+FFFD: descriptions are bytes, JSON and DOT are UTF-8.
[[nodiscard]] std::string valid_utf8(std::string_view bytes);

/// The LID under which a port is reached: its own, or that of a switch's port 0; 0 where there is none.
[[nodiscard]] unsigned reached_at(node const& owner, unsigned port) noexcept;

/// `4xHDR`; question marks for what is not told; empty where neither is.
[[nodiscard]] std::string rate(link_width width, link_speed speed);

} // namespace madrigal::topology::detail
