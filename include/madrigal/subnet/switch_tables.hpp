// SwitchInfo and forwarding tables, written where they are not yet so.
#pragma once

#include <madrigal/subnet/managed_subnet.hpp>
#include <madrigal/subnet/smp_work.hpp>
#include <madrigal/wire/attributes/linear_forwarding_table.hpp>
#include <madrigal/wire/attributes/multicast_forwarding_table.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace madrigal {

/// Blocks of a multicast forwarding table by their attribute modifier: block, and position in the upper four bits.
using multicast_blocks = std::map<std::uint32_t, port_mask_block>;

/// What the switches have answered that their tables are, so that only what differs is written. Somebody who has not
/// written them begins with an empty one. Belongs to one thread at a time.
class switch_tables {
public:
    /// Forgets what switches may have lost: of each that has no table or not the LID that it was given, or says that a
    /// port of its has changed. Called with each sweep, once LIDs have been assigned.
    void forget_lost(managed_subnet const& of);
    /// Forgets everything: somebody else may write from now on.
    void clear() noexcept { by_switch_.clear(); }

    /// Adds what a switch has to be told to a work list: SwitchInfo, and the blocks of `managed_subnet::tables` that it
    /// does not have, as far as it can hold them. No SwitchInfo for a switch of which it is not known. PortStateChange
    /// is left as it is: see `discover_options::clear_port_state_change`. Both must live as long as the list.
    void order(smp_work& work, managed_subnet const& of, unsigned switch_number);
    /// The same for groups (see multicast_trees.hpp): what is not wanted any more is emptied, and so is what is not
    /// known of blocks that are in use.
    void order_groups(smp_work& work, managed_subnet const& of, unsigned switch_number, multicast_blocks wanted);
    /// Takes note of the answer to one of those SMPs. Answers about other attributes are ignored.
    void on_answer(guid of_switch, smp_order const& order, mad_view answer);

    /// The blocks of a switch's linear table, of which those count that have been written. Empty where there are none.
    [[nodiscard]] std::vector<forwarding_block> const& linear(guid of_switch) const noexcept;
    /// Whether the switch has answered that it has this block as `linear` has it.
    [[nodiscard]] bool has_written(guid of_switch, std::size_t block) const noexcept;
    /// The blocks of its multicast table that have been written.
    [[nodiscard]] multicast_blocks const& multicast(guid of_switch) const noexcept;

private:
    struct written {
        std::vector<forwarding_block> linear;
        std::vector<bool> known; ///< of `linear`
        multicast_blocks multicast;
        std::set<std::uint32_t> doubtful; ///< of multicast blocks those that have been sent and not been answered
    };
    std::unordered_map<std::uint64_t, written> by_switch_;
};

} // namespace madrigal
