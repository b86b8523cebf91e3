// The state of a simulated node and of its ports: what SMPs read and write.
#pragma once

#include <sim/event_queue.hpp>
#include <sim/lanes.hpp>
#include <sim/port_counts.hpp>
#include <sim/port_samples.hpp>

#include <madrigal/engine/time.hpp>
#include <madrigal/topology/fabric.hpp>
#include <madrigal/wire/flags.hpp>
#include <madrigal/wire/link.hpp>
#include <madrigal/wire/port_fields.hpp>
#include <madrigal/wire/port_state.hpp>
#include <madrigal/wire/types.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace madrigal::sim {

class kernel_port;

/// M_Key protection of a node or of a CA's port (IBA 14.2.4).
struct m_key_guard {
    std::uint64_t key = 0;
    std::uint8_t protect_bits = 0;
    std::uint16_t lease_seconds = 0; ///< 0: protection never lapses
    std::uint16_t violations = 0;
    time_point lease_end = never; ///< while it runs
};

/// What of a port only end ports have; port 0 of a switch has it too.
struct end_port {
    guid port_guid;
    std::uint64_t subnet_prefix = default_subnet_prefix;
    std::uint16_t base_lid = 0;
    std::uint16_t sm_lid = 0;
    std::uint8_t lmc = 0;
    std::uint8_t sm_sl = 0;
    std::uint8_t subnet_timeout = 18;
    bool client_reregister = false;
    bool issm_held = false;
    std::uint32_t issm_generation = 0; ///< of the device: one that went away releases what was held
    bool has_smi = true;
    bool has_gsi = true;
    m_key_guard guard;
    std::vector<guid> more_guids;  ///< GUIDInfo from entry 1 on; empty until set
    kernel_port* kernel = nullptr; ///< where a host has opened its CA
};

/// What a link has trained to, where that is not all that its ends have.
struct trained_link {
    link_width width = link_width::none; ///< none: the port's own
    link_speed speed = link_speed::none; ///< none: the port's own
};

/// One port of a node.
struct port {
    topology::endpoint cable; ///< no_node where none was ever plugged
    bool plugged = false;     ///< the cable is in
    double cable_loss = -1;   ///< of the cable; negative: as the fabric
    port_state state = port_state::down;
    physical_state phys_state = physical_state::polling;
    link_down_default_state down_default = link_down_default_state::polling;
    link_speed speed = link_speed::none; ///< the fastest that it has
    link_width width = link_width::none; ///< the widest that it has
    trained_link trained;                ///< since the link came up
    bool rate_given = false;             ///< width and speed stood in the topology
    // What was enabled by a Set; all that is supported where it was not.
    std::optional<flags<link_width>> width_enabled;
    std::optional<flags<legacy_speed>> speed_enabled;
    std::optional<flags<extended_speed>> speed_ext_enabled;
    std::optional<flags<extended_speed2>> speed_ext2_enabled;
    mtu neighbor_mtu = mtu::bytes_4096;
    std::uint8_t vl_high_limit = 0;
    virtual_lanes operational_vls = virtual_lanes::vl0_7;
    std::uint8_t vl_stall_count = 0;
    std::uint8_t hoq_life = 0;
    std::uint8_t enforcement = 0; ///< partition and raw filter bits of a switch's external port
    std::uint8_t overrun_errors = 8;
    std::uint8_t phy_errors = 8;
    std::vector<std::uint16_t> p_keys;  ///< empty: the default, 0xFFFF alone
    std::unique_ptr<lane_tables> lanes; ///< where they were ever set
    port_counts counts;
    std::unique_ptr<end_port> end; ///< CA and router ports, port 0 of switches

    [[nodiscard]] link_speed active_speed() const noexcept
    {
        return trained.speed == link_speed::none ? speed : trained.speed;
    }
    [[nodiscard]] link_width active_width() const noexcept
    {
        return trained.width == link_width::none ? width : trained.width;
    }
};

/// What only switches have.
struct switch_part {
    std::vector<std::uint8_t> forwarding; ///< indexed by LID, as long as what was ever set
    std::uint16_t linear_top = 0;
    std::uint8_t default_port = 0;
    std::uint8_t default_multicast_primary = 0;
    std::uint8_t default_multicast_other = 0;
    std::uint8_t life_time = 18;
    std::vector<std::vector<std::uint16_t>> multicast; ///< masks of 16 ports each, by LID, as long as what was ever set
    std::uint16_t multicast_top = 0;
    bool port_state_change = false;
    bool enhanced_port0 = false;

    /// 0xFF where there is no entry.
    [[nodiscard]] std::uint8_t route(std::uint16_t destination) const noexcept
    {
        return destination < forwarding.size() && destination <= linear_top ? forwarding[destination] : 0xFF;
    }
};

/// A Trap 128 that waits for its TrapRepress.
struct pending_trap : event {
    topology::node_index node = topology::no_node;
    std::uint64_t transaction_id = 0;
    bool active = false;
};

/// One node. `ports[0]` is port 0 of a switch and unused elsewhere.
struct node {
    node_type type = node_type::ca;
    bool on = true;                        ///< has power
    bool in_host = true;                   ///< not unplugged from its machine
    link_speed fastest = link_speed::none; ///< that any of its ports has
    std::vector<port> ports;
    std::unique_ptr<switch_part> switching;
    std::string description; ///< NodeDescription as it is now
    time_point busy_until{}; ///< its agent serves one request after the other
    std::size_t waiting = 0; ///< requests that wait for it
    std::unique_ptr<pending_trap> trap;
    std::unique_ptr<port_samples> samples; ///< where they were ever set

    [[nodiscard]] bool is_switch() const noexcept { return type == node_type::switch_; }
    [[nodiscard]] unsigned port_count() const noexcept { return static_cast<unsigned>(ports.size() - 1); }
    [[nodiscard]] bool running() const noexcept { return on && in_host; }
    /// The end port that a packet which came in by `number` belongs to.
    [[nodiscard]] end_port& end_for(unsigned number) const noexcept { return *ports[is_switch() ? 0 : number].end; }
    [[nodiscard]] unsigned end_number(unsigned number) const noexcept { return is_switch() ? 0 : number; }
};

} // namespace madrigal::sim
