// How a port shares its link among virtual lanes: what was set of SLtoVLMappingTable and VLArbitrationTable.
#pragma once

#include <madrigal/wire/attributes/sl_to_vl_mapping_table.hpp>
#include <madrigal/wire/attributes/vl_arbitration_table.hpp>

#include <array>
#include <cstdint>
#include <map>

namespace madrigal::sim {

/// Entries of a port's table of low and of its table of high priority.
inline constexpr std::uint8_t arbitration_entries = 8;

/// The tables of a port, as they are from power-on until somebody sets them: lanes by service level in turn, all lanes
/// served alike, none before the others.
struct lane_tables {
    static constexpr unsigned lanes = 8;

    std::map<std::uint8_t, vl_of_sl> by_input; ///< on a switch, by the port that a packet came in by
    std::array<vl_arbitration_entry, arbitration_entries> low{};
    std::array<vl_arbitration_entry, arbitration_entries> high{};

    lane_tables()
    {
        for (std::uint8_t i = 0; i != arbitration_entries; ++i) {
            low[i] = {.vl = i, .weight = 1};
            high[i] = {.vl = i, .weight = 0};
        }
    }
    /// The mapping of what came in by a port.
    [[nodiscard]] vl_of_sl mapping(std::uint8_t input) const
    {
        if (auto const found = by_input.find(input); found != by_input.end())
            return found->second;
        vl_of_sl in_turn{};
        for (std::uint8_t sl = 0; sl != in_turn.size(); ++sl)
            in_turn[sl] = sl % lanes;
        return in_turn;
    }
};

} // namespace madrigal::sim
