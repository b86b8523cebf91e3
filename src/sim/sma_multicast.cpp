// MulticastForwardingTable: kept as it is set, for those who read it back. No MAD travels to a multicast LID here.
#include <sim/sma.hpp>

#include <madrigal/wire/attributes/multicast_forwarding_table.hpp>

#include <algorithm>

namespace madrigal::sim {

std::uint16_t answer_multicast_forwarding_table(sma_request const& request)
{
    if (!request.asked.is_switch())
        return mad_status::unsupported_method_attribute;
    constexpr std::size_t block_size = std::tuple_size_v<port_mask_block>;
    constexpr unsigned ports_in_mask = 16;
    auto const block = request.modifier & 0x1FF;
    auto const position = request.modifier >> 28;
    if ((request.modifier & 0x0FFF'FE00) != 0 || block * block_size >= multicast_entries ||
        position > request.asked.port_count() / ports_in_mask)
        return mad_status::invalid_value;
    auto& from = *request.asked.switching;
    // One table for each 16 ports, each as long as what was ever set of it.
    std::size_t const first = block * block_size;
    if (request.is_set) {
        if (from.multicast.size() <= position)
            from.multicast.resize(position + 1);
        auto& table = from.multicast[position];
        if (table.size() < first + block_size)
            table.resize(first + block_size);
        auto const wanted = request.wanted<multicast_forwarding_table>().port_masks;
        std::copy(wanted.begin(), wanted.end(), table.begin() + static_cast<std::ptrdiff_t>(first));
    }
    multicast_forwarding_table answer;
    if (position < from.multicast.size() && first + block_size <= from.multicast[position].size())
        std::copy_n(from.multicast[position].begin() + static_cast<std::ptrdiff_t>(first), block_size,
            answer.port_masks.begin());
    return request.give(answer);
}

} // namespace madrigal::sim
