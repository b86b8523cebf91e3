// SwitchInfo and forwarding tables, written where they are not yet so.
#pragma once

#include "subnet.hpp"

#include <madrigal/subnet/smp_work.hpp>
#include <madrigal/wire/attributes/linear_forwarding_table.hpp>
#include <madrigal/wire/attributes/multicast_forwarding_table.hpp>

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace sm {

/// What a switch has said that its tables are.
struct written_tables {
    std::vector<madrigal::forwarding_block> unicast; ///< by block
    std::vector<bool> known;                         ///< of `unicast`
    /// By block and position, as in the attribute modifier.
    std::map<std::uint32_t, madrigal::port_mask_block> multicast;
};
/// By the switch's GUID.
using written_by_switch = std::unordered_map<std::uint64_t, written_tables>;

/// A switch that has been off has forgotten its tables, which its SwitchInfo shows.
void forget_lost_tables(written_by_switch& written, subnet const& of);
/// Adds what a switch has to be told to a work list.
void order_switch(madrigal::subnet::smp_work& work, subnet const& of, unsigned number, written_tables& written);
/// Remembers what an answer says.
void note_answer(written_tables& written, madrigal::subnet::smp_order const& order, madrigal::mad_view answer);

} // namespace sm
