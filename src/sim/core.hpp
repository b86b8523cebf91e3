// Everything that one fabric is made of, behind one lock.
#pragma once

#include <sim/event_queue.hpp>
#include <sim/fabric_clock.hpp>
#include <sim/node.hpp>
#include <sim/packet.hpp>
#include <sim/random_source.hpp>

#include <madrigal/sim/counters.hpp>
#include <madrigal/sim/fabric.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace madrigal::sim {

class kernel_port;
class sa_server;
struct kernel_agent;

/// The fabric's state and the ways of a packet through it. Everything but the construction happens inside an `entry`.
class core {
public:
    core(topology::fabric layout_of_it, fabric_options options_of_it);
    core(core const&) = delete;
    core& operator=(core const&) = delete;
    ~core();

    /// Builds the nodes; once, before anything else.
    error build();

    /// Holds the lock; on the way in everything that is due happens, on the way out the clock is set anew.
    class entry {
    public:
        explicit entry(core& of);
        entry(entry const&) = delete;
        entry& operator=(entry const&) = delete;
        ~entry();

    private:
        core& core_;
        std::unique_lock<std::mutex> lock_;
    };

    // The ways of a packet (walk.cpp).
    /// A packet leaves a queue pair of the node `packet.at`; `port` is the one it leaves by (0: a switch's own).
    void launch(packet& one, unsigned port);
    /// Ends a packet's way.
    void drop(packet& one, drop_reason why) noexcept;
    /// Counts a drop of what is no packet any more.
    void count(drop_reason why) noexcept { ++counts.dropped[static_cast<std::size_t>(why)]; }

    // What a node makes of a packet that reached it (deliver.cpp).
    void deliver(packet& one);
    /// Turns a request around and sends it back as the answer that it has been made into.
    void reply(packet& one);
    /// Answers as a kernel without a fitting agent: a Get or Set with status 0x000C, anything else not at all.
    void refuse_unmatched(packet& one);
    /// Answers a request once the node's agent has had it long enough.
    void serve(packet& one);
    /// Turns one bit, for a fault rule.
    void corrupt(std::span<std::byte> data);

    // Links and power (port_machine.cpp).
    /// The link comes up where both ends allow it, and goes down where one does not.
    void settle_link(topology::endpoint end);
    /// Takes a port out of LinkUp. One that is left polling trains again where its link can.
    void take_down(topology::endpoint end, physical_state to);
    /// As after power-on.
    void reset_port(topology::endpoint end);
    [[nodiscard]] bool link_is_up(port const& one) const noexcept { return one.phys_state == physical_state::link_up; }

    void link_changed(topology::endpoint end);
    /// A node lost its power or its machine, or got it back: its ports are as after power-on, its device is another
    /// one.
    void restart(topology::node_index index);

    // Traps (traps.cpp).
    /// Trap 128 from a switch; false where it does not know its LID or its SM's.
    bool send_trap(topology::node_index from);
    void repeat_trap(pending_trap& trap);
    void repress_trap(packet& one);

    /// The sampling of a port's counters starts, or is done (port_samples.cpp).
    void samples_are_due(port_samples& samples);

    // Hosts.
    /// The kernel behind an end port, made where there is none; null while the device is not there.
    [[nodiscard]] kernel_port* kernel_at(topology::endpoint end);
    /// The device goes away.
    void remove_kernels(topology::node_index from);

    [[nodiscard]] bool valid(topology::endpoint end) const noexcept
    {
        return end.node < nodes.size() && end.port < nodes[end.node].ports.size() &&
               (end.port != 0 || nodes[end.node].is_switch());
    }
    [[nodiscard]] port& at(topology::endpoint end) noexcept { return nodes[end.node].ports[end.port]; }
    /// True where `destination` is one of the LIDs of this end port.
    [[nodiscard]] static bool owns(end_port const& one, std::uint16_t destination) noexcept
    {
        return one.base_lid != 0 && destination >= one.base_lid && destination < one.base_lid + (1u << one.lmc);
    }

    std::mutex mutex;
    topology::fabric layout;
    fabric_options options;
    fault_options faults;
    std::vector<std::pair<fault_rule_id, fault_rule>> rules;
    fault_rule_id last_rule = 0;

    std::vector<node> nodes;
    event_queue events;
    packet_pool packets;
    random_source random;
    fabric_counters counts;
    std::optional<std::unordered_map<std::uint64_t, std::uint64_t>> transactions;
    fabric_clock clock;
    time_point now; ///< of this entry, or of the event that happens

    std::unique_ptr<sa_server> sa; ///< where the options ask for it
    std::vector<std::unique_ptr<kernel_port>> kernels;
    std::unordered_map<std::uint32_t, kernel_agent*> agents; ///< by the upper half of their transaction ids
    std::uint32_t last_agent = 0;
    unsigned next_umad = 0;
    std::uint32_t last_trap = 0;
    bool quiet = false; ///< while the fabric is built: links come up without traps

private:
    void bring_up_to(time_point when);
    void happen(event& one);
    void happen_served(packet& one);
    void on_alarm();

    void walk(packet& one, unsigned port);
    /// Over the link; false where the packet was lost or arrives later.
    bool cross(packet& one, unsigned port);
    /// At a node: the port to go on by, or nothing where its way ends here.
    std::optional<unsigned> arrive(packet& one);
    std::optional<unsigned> route(packet& one);
    std::optional<unsigned> direct(packet& one, bool from_inside);
    static void count_sent(packet const& one, port& by);
    static void count_received(packet const& one, port& by);

    void answer(packet& one);
    [[nodiscard]] bool refuses(packet const& one) const noexcept;
    [[nodiscard]] bool serves_pings(packet const& one) const noexcept;
    fault_rule* strike(packet const& one);
};

} // namespace madrigal::sim
