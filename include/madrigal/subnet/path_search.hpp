// Paths as the forwarding tables have them, for who answers PathRecord (IBA 15.2.5.16).
#pragma once

#include <madrigal/subnet/managed_subnet.hpp>
#include <madrigal/wire/attributes/path_record.hpp>
#include <madrigal/wire/path_fields.hpp>
#include <madrigal/wire/port_fields.hpp>
#include <madrigal/wire/record_query.hpp>

#include <cstdint>
#include <optional>

namespace madrigal {

/// What a way can carry.
struct path_limits {
    mtu largest_packet = mtu::bytes_4096;
    path_rate rate = path_rate::gbps_1200; ///< of the slowest cable
    std::uint8_t life_time = 18;           ///< 4.096 us times 2 to this power
};

/// Follows the forwarding tables from a port to a LID of another one. Nothing where they do not lead there. To the port
/// itself: what its own link can.
[[nodiscard]] std::optional<path_limits> follow_tables(
    managed_subnet const& of, end_port const& from, end_port const& to, lid address) noexcept;

/// Gives a path MTU, rate and life time that meet what a question wishes for by selectors; false where that cannot be,
/// or where the path is not what the question says of P_Key, service level or raw traffic. Packets may be shorter and
/// slower than a way can do; a P_Key is that of a partition, whoever is a full member of it.
[[nodiscard]] bool meet_wishes(
    path_record& path, path_limits const& there, record_query<path_record> const& wishes) noexcept;

} // namespace madrigal
