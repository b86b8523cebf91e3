// The subnet management agent of every simulated node.
#pragma once

#include <sim/core.hpp>

#include <madrigal/wire/attributes/linear_forwarding_table.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/attributes/sm_info.hpp>
#include <madrigal/wire/attributes/switch_info.hpp>
#include <madrigal/wire/smp.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace madrigal::sim {

/// Entries of every switch's multicast forwarding table.
inline constexpr std::uint16_t multicast_entries = 1024;

/// A Get or Set on its way through the agent.
struct sma_request {
    core& fabric;
    node& asked;
    topology::node_index index;
    std::uint8_t port; ///< by which it came; 0 from a switch's own port
    bool is_set;
    std::uint32_t modifier;
    std::uint64_t m_key;
    std::span<std::byte, smp_data_size> data;

    [[nodiscard]] end_port& end() const noexcept { return asked.end_for(port); }
    [[nodiscard]] topology::node const& described() const { return fabric.layout.at(index); }

    /// What a Set wants to write.
    template <wire_layout T>
    [[nodiscard]] T wanted() const noexcept
    {
        return *decode<T>(data); // no attribute of an SMP is longer than its data
    }
    /// Puts the answer in place of the data.
    template <wire_layout T>
    std::uint16_t give(T const& value) const noexcept
    {
        static_assert(T::layout.size <= smp_data_size);
        for (auto& byte : data.subspan(T::layout.size))
            byte = std::byte{0};
        (void)encode(value, data);
        return mad_status::ok;
    }
};

/// Turns a Get or Set into its answer. False where it must not be answered: its M_Key is wrong.
[[nodiscard]] bool answer_smp(core& of, packet& one);

// One per attribute: read, and written where the IBA allows it. They return the MAD status.
std::uint16_t answer_node_info(sma_request const& request);
std::uint16_t answer_node_description(sma_request const& request);
std::uint16_t answer_sm_info(sma_request const& request);
std::uint16_t answer_switch_info(sma_request const& request);
std::uint16_t answer_linear_forwarding_table(sma_request const& request);
std::uint16_t answer_port_info(sma_request const& request);
std::uint16_t answer_mlnx_ext_port_info(sma_request const& request);
std::uint16_t answer_guid_info(sma_request const& request);
std::uint16_t answer_p_key_table(sma_request const& request);
std::uint16_t answer_sl_to_vl_mapping_table(sma_request const& request);
std::uint16_t answer_vl_arbitration_table(sma_request const& request);
std::uint16_t answer_multicast_forwarding_table(sma_request const& request);

/// NodeInfo as the node's agent gives it; `arrived_by` for LocalPortNum.
[[nodiscard]] node_info describe_node(core const& of, topology::node_index index, std::uint8_t arrived_by);
/// SwitchInfo as a switch's agent gives it.
[[nodiscard]] switch_info describe_switch(switch_part const& from);
/// A block of a switch's linear forwarding table.
[[nodiscard]] linear_forwarding_table forwarding_block_of(switch_part const& from, std::size_t number);
/// SMInfo as the agent of an end port gives it; nothing where no subnet manager is.
[[nodiscard]] std::optional<sm_info> describe_sm(core const& of, topology::endpoint end);
/// PortInfo of a port as its own agent gives it, M_Key included; `arrived_by` for LocalPortNum.
[[nodiscard]] port_info describe_port(
    core const& of, topology::node_index index, unsigned number, std::uint8_t arrived_by);

} // namespace madrigal::sim
