// Keeps LIDs across restarts.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/subnet/lid_assignment.hpp>

#include <filesystem>

namespace sm {

/// Reads a file of LIDs by port GUID; nothing is known where there is none. Errors say what is wrong in it.
[[nodiscard]] madrigal::result<madrigal::known_lids> read_lids(std::filesystem::path const& file);
/// Writes it: beside it first and then in its place, so that there is a whole file at any moment.
[[nodiscard]] madrigal::result<void> write_lids(std::filesystem::path const& file, madrigal::known_lids const& lids);

} // namespace sm
