// The GID table of an end port: the subnet prefix with each of its GUIDs (IBA 14.2.5.5).
#pragma once

#include <sim/node.hpp>

#include <madrigal/wire/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace madrigal::sim {

/// Entries of the GUIDInfo table of every end port: one block.
inline constexpr std::size_t guid_entries = 8;

/// GUID `index`; 0 where none was set.
[[nodiscard]] inline guid guid_at(end_port const& of, std::size_t index) noexcept
{
    if (index == 0)
        return of.port_guid;
    return index < of.more_guids.size() ? of.more_guids[index] : guid{};
}

/// The GID that a sender may use as its source; nothing where there is none at this place.
[[nodiscard]] inline std::optional<gid> gid_at(end_port const& of, std::size_t index) noexcept
{
    auto const interface_id = guid_at(of, index);
    if (!interface_id)
        return std::nullopt;
    return gid{of.subnet_prefix, interface_id};
}

/// The place of a GID in the table; 0 where it is not in it.
[[nodiscard]] inline std::uint8_t gid_index_of(end_port const& of, gid const& wanted) noexcept
{
    for (std::size_t index = 1; index < of.more_guids.size(); ++index)
        if (of.more_guids[index] == wanted.interface_id() && of.more_guids[index])
            return static_cast<std::uint8_t>(index);
    return 0;
}

} // namespace madrigal::sim
