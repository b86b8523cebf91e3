// SwitchInfo and LinearForwardingTable: how a switch forwards.
#include <sim/p_keys.hpp>
#include <sim/sma.hpp>

#include <madrigal/wire/attributes/linear_forwarding_table.hpp>
#include <madrigal/wire/attributes/switch_info.hpp>

#include <algorithm>

namespace madrigal::sim {
namespace {

/// Entries of every switch's linear forwarding table: all unicast LIDs.
constexpr std::uint16_t linear_entries = max_unicast_lid.value() + 1;

} // namespace

switch_info describe_switch(switch_part const& from)
{
    switch_info info;
    info.linear_fdb_cap = linear_entries;
    info.multicast_fdb_cap = multicast_entries;
    info.linear_fdb_top = from.linear_top;
    info.default_port = from.default_port;
    info.default_multicast_primary_port = from.default_multicast_primary;
    info.default_multicast_not_primary_port = from.default_multicast_other;
    info.life_time_value = from.life_time;
    info.port_state_change = from.port_state_change;
    info.partition_enforcement_cap = switch_port_p_keys;
    info.multicast_fdb_top = from.multicast_top;
    info.enhanced_port0 = from.enhanced_port0;
    return info;
}

std::uint16_t answer_switch_info(sma_request const& request)
{
    if (!request.asked.is_switch())
        return mad_status::unsupported_method_attribute;
    auto& from = *request.asked.switching;
    if (request.is_set) {
        auto const wanted = request.wanted<switch_info>();
        // The top of the multicast table: 0xBFFF where no entry of it is used (IBA 14.2.5.4), 0 where it is not told.
        auto const multicast_top = wanted.multicast_fdb_top;
        if (wanted.linear_fdb_top >= linear_entries ||
            (multicast_top != 0 &&
                (multicast_top < linear_entries - 1 || multicast_top >= linear_entries + multicast_entries)))
            return mad_status::invalid_value;
        from.multicast_top = multicast_top;
        from.linear_top = wanted.linear_fdb_top;
        from.default_port = wanted.default_port;
        from.default_multicast_primary = wanted.default_multicast_primary_port;
        from.default_multicast_other = wanted.default_multicast_not_primary_port;
        from.life_time = wanted.life_time_value;
        if (wanted.port_state_change) // writing 1 takes it back
            from.port_state_change = false;
    }
    return request.give(describe_switch(from));
}

linear_forwarding_table forwarding_block_of(switch_part const& from, std::size_t number)
{
    linear_forwarding_table block;
    auto const first = number * block.ports.size();
    for (std::size_t i = 0; i != block.ports.size(); ++i)
        block.ports[i] = first + i < from.forwarding.size() ? from.forwarding[first + i] : no_route;
    return block;
}

std::uint16_t answer_linear_forwarding_table(sma_request const& request)
{
    if (!request.asked.is_switch())
        return mad_status::unsupported_method_attribute;
    auto& from = *request.asked.switching;
    constexpr std::size_t block_size = std::tuple_size_v<forwarding_block>;
    // The last block in use is that of the top; a Set may prepare the ones behind it.
    auto const last = (request.is_set ? linear_entries - 1u : from.linear_top) / block_size;
    if (request.modifier > last)
        return mad_status::invalid_value;
    std::size_t const first = request.modifier * block_size;
    auto& table = from.forwarding;
    if (request.is_set) {
        auto const wanted = request.wanted<linear_forwarding_table>();
        if (table.size() < first + block_size)
            table.resize(first + block_size, no_route);
        std::copy(wanted.ports.begin(), wanted.ports.end(), table.begin() + static_cast<std::ptrdiff_t>(first));
    }
    return request.give(forwarding_block_of(from, request.modifier));
}

} // namespace madrigal::sim
