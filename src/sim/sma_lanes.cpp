// SLtoVLMappingTable and VLArbitrationTable: kept as they are set; every link of this world has room for all lanes.
#include <sim/lanes.hpp>
#include <sim/sma.hpp>

#include <algorithm>

namespace madrigal::sim {
namespace {

/// The tables of a port, for reading; those of power-on where nothing was ever set.
lane_tables const& tables_of(port const& of)
{
    static lane_tables const untouched;
    return of.lanes ? *of.lanes : untouched;
}

lane_tables& tables_to_set(port& of)
{
    if (!of.lanes)
        of.lanes = std::make_unique<lane_tables>();
    return *of.lanes;
}

/// The port that a modifier speaks of: on a CA 0 is the one that is asked.
unsigned port_meant(sma_request const& request, unsigned number)
{
    return number == 0 && !request.asked.is_switch() ? request.port : number;
}

} // namespace

std::uint16_t answer_sl_to_vl_mapping_table(sma_request const& request)
{
    auto const output = port_meant(request, request.modifier & 0xFF);
    auto const input = request.modifier >> 8 & 0xFF;
    bool const is_switch = request.asked.is_switch();
    // Bits 16 and 17 would set many tables at once, which SwitchInfo says is not done here.
    if (request.modifier >> 16 != 0 || output > request.asked.port_count() ||
        (is_switch ? input > request.asked.port_count() : input != 0))
        return mad_status::invalid_value;
    auto& one = request.asked.ports[output];
    auto const key = static_cast<std::uint8_t>(input);
    if (request.is_set)
        tables_to_set(one).by_input[key] = request.wanted<sl_to_vl_mapping_table>().vls;
    return request.give(sl_to_vl_mapping_table{tables_of(one).mapping(key)});
}

std::uint16_t answer_vl_arbitration_table(sma_request const& request)
{
    auto const number = port_meant(request, request.modifier & 0xFFFF);
    auto const block = request.modifier >> 16;
    // Blocks 2 and 4 are what is behind 32 entries; port 0 of a switch has no link to share.
    if ((block != 1 && block != 3) || number > request.asked.port_count() || number == 0)
        return mad_status::invalid_value;
    auto& one = request.asked.ports[number];
    if (request.is_set) {
        auto const wanted = request.wanted<vl_arbitration_table>();
        auto& tables = tables_to_set(one);
        auto& to = block == 1 ? tables.low : tables.high;
        std::copy_n(wanted.entries.begin(), to.size(), to.begin());
    }
    auto const& from = block == 1 ? tables_of(one).low : tables_of(one).high;
    vl_arbitration_table answer;
    std::copy(from.begin(), from.end(), answer.entries.begin());
    return request.give(answer);
}

} // namespace madrigal::sim
