// A simulated InfiniBand fabric in this process: switches that forward, nodes that answer, hosts that can be opened.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/error.hpp>
#include <madrigal/sim/counters.hpp>
#include <madrigal/sim/faults.hpp>
#include <madrigal/topology/fabric.hpp>
#include <madrigal/wire/attributes/port_counters_extended.hpp>
#include <madrigal/wire/port_state.hpp>
#include <madrigal/wire/types.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace madrigal::sim {

class core;

/// In which state a fabric starts.
enum class start_state : std::uint8_t {
    /// As after power-on: cabled ports Init and LinkUp, others Down and Polling, no LIDs, empty forwarding tables.
    as_cabled,
    /// As a subnet manager leaves it: LIDs as given or assigned, min-hop forwarding tables, cabled ports ACTIVE, the
    /// SM's LID
    /// set.
    configured,
};

/// How a fabric is made.
struct fabric_options {
    start_state start = start_state::as_cabled;
    /// Where the SM is in a configured fabric. Where not set, the first cabled port of the node that `sm_ca` names, as
    /// `host::make` takes a name; of the first CA where that is not set either.
    std::optional<topology::endpoint> sm{};
    std::optional<std::string> sm_ca{};
    /// Feeds every random choice.
    std::uint64_t seed = 1;
    /// The time that timeouts, latencies and leases are measured in: the machine's steady clock where null. Not owned;
    /// outlives the fabric, its hosts and their files.
    /// With a time source every call on the fabric, its hosts and their files belongs to the thread that drives it.
    time_source* time = nullptr;
    fault_options faults{};
    /// Ports drop what carries a P_Key that is not in their table.
    bool check_pkeys = false;
    /// CAs that no host has files open on answer pings (wire/ping.hpp) as a ping server there would, with their
    /// description as the name. Otherwise their kernels refuse pings as they refuse every Get that nobody serves.
    bool answer_pings = false;
    /// The subnet administration of the subnet manager that has configured the fabric answers, at the port where that
    /// is (`sm`): class 0x03, version 2, from the fabric's present state. An agent that is registered there for the
    /// class and the method goes first. Only with `start_state::configured`. What it has and what it leaves out stands
    /// in the manual page madrigal(1).
    bool answer_sa = false;
    /// The SM_Key of trusted questions to it; what only those may see others do not get to see.
    std::uint64_t sa_key = 1;
    /// What the meaningless state of a base switch port 0 reads.
    port_state base_port0_state = port_state::active;
    /// What hosts on this fabric answer for their URI; they add `configured` where it has no parameters, and the CA
    /// where it names none.
    std::string uri = "sim:";
};

/// One simulated fabric. Time moves when somebody reads, writes or calls: there is no thread behind it. All members are
/// safe from any thread, unless a time source is given (see `fabric_options::time`).
class fabric {
public:
    /// errc::invalid_argument where the topology cannot be (a LID twice, more nodes than unicast LIDs in a configured
    /// fabric), with the node's name, and where `answer_sa` stands without `start_state::configured`.
    [[nodiscard]] static result<std::shared_ptr<fabric>> make(topology::fabric layout, fabric_options options = {});
    fabric(fabric const&) = delete;
    fabric& operator=(fabric const&) = delete;
    ~fabric();

    /// The topology it was made from; unchanged by what happens to the fabric.
    [[nodiscard]] topology::fabric const& layout() const noexcept;
    [[nodiscard]] fabric_options const& options() const noexcept;

    /// The node that somebody means: by the id of the file, the GUID of the node or of a port, the description, or a CA
    /// also by the name that its machine gives it (`mlx5_0`). errc::no_such_node lists candidates, or the nodes among
    /// which the name does not decide.
    [[nodiscard]] result<topology::node_index> find_node(std::string_view name) const;

    /// Processes what is due by now. Reads and writes do the same.
    void advance();

    /// Replaces the fabric-wide faults.
    void set_faults(fault_options const& faults);
    /// The fabric-wide faults as they are now.
    [[nodiscard]] fault_options faults() const;
    /// The cable at this port loses packets with this probability, both ways, instead of with the fabric's; as the
    /// fabric again where nothing is given. errc::invalid_argument where no cable was ever there, or for a number that
    /// is not from 0 to 1.
    error set_cable_loss(topology::endpoint end, std::optional<double> loss);
    /// Adds a fault rule behind those there are. Returns its name, for `remove_rule`.
    fault_rule_id add_rule(fault_rule rule);
    /// False where there is no such rule.
    bool remove_rule(fault_rule_id rule);

    /// Takes the cable at this port out, or puts it back. errc::invalid_argument where no cable was ever there.
    error set_link(topology::endpoint end, bool plugged);
    /// Switches a node off or on. A node that comes on starts as after power-on. A host's own files see their device
    /// go.
    error set_power(topology::node_index node, bool on);
    /// Takes a CA out of its host: its links go down and every open file of it answers EIO. `plug` brings it back,
    /// under new umad numbers.
    error unplug(topology::node_index node);
    /// Puts an unplugged CA back in, under new umad numbers. No error where it was not unplugged.
    error plug(topology::node_index node);
    /// A port of a split device: SMPs (QP0) or GMPs (QP1) do not work through it.
    error set_services(topology::endpoint port, bool smi, bool gsi);

    /// Sends Trap 128 from a switch to its SM's LID, as when one of its links changes; repeated until it is repressed.
    /// errc::invalid_argument for a node that is no switch, has no LID or knows no SM.
    error send_link_trap(topology::node_index node);

    /// Present state of a port; port 0 of a switch too.
    struct port_view {
        port_state state = port_state::down;
        physical_state phys_state = physical_state::polling;
        lid base_lid;
        std::uint8_t lmc = 0;
        lid sm_lid;
        guid port_guid;
        bool is_sm = false; ///< somebody holds its issm file
        std::uint16_t m_key_violations = 0;
        link_width width = link_width::none;
        link_speed speed = link_speed::none;
        bool plugged = false;               ///< its cable is in
        std::optional<double> cable_loss{}; ///< where the cable has one of its own
    };
    /// errc::invalid_argument where there is no such port.
    [[nodiscard]] result<port_view> look_at(topology::endpoint port) const;
    /// Present state of a node.
    struct node_view {
        bool on = true;        ///< has power
        bool in_host = true;   ///< not unplugged
        std::size_t files = 0; ///< open umad files on its ports
    };
    /// errc::invalid_argument where there is no such node.
    [[nodiscard]] result<node_view> look_at(topology::node_index node) const;
    /// The forwarding entry of a switch for a LID; 0xFF where it has none.
    [[nodiscard]] std::uint8_t forwarding_entry(topology::node_index node, lid destination) const;

    /// What the performance management agent of a node has counted at one of its ports, of 64 bits; the members that
    /// select are 0. errc::invalid_argument where there is no such port.
    [[nodiscard]] result<port_counters_extended> port_counts(topology::endpoint port) const;
    /// Sets all of it. PortCounters shows the same, as far as it is wide enough; traffic counts on from there.
    /// errc::invalid_argument where there is no such port.
    error set_port_counts(topology::endpoint port, port_counters_extended const& to);

    [[nodiscard]] fabric_counters counters() const;
    /// How often packets with this transaction id (all 64 bits, host byte order) were sent by hosts, repeats included.
    /// Counted from the call of `count_transactions` on.
    [[nodiscard]] std::uint64_t transmissions(std::uint64_t transaction_id) const;
    /// Begins to count transmissions by transaction id, from zero, or ends it. Takes memory for each id.
    void count_transactions(bool on);

    /// For the rooms of the simulator itself.
    [[nodiscard]] std::shared_ptr<core> const& implementation() const noexcept { return core_; }

private:
    explicit fabric(std::shared_ptr<core> implementation) noexcept;
    std::shared_ptr<core> core_;
};

/// Makes a fabric from ibnetdiscover text. errc::malformed_topology with file, line and what was expected; the system's
/// own error where the file cannot be read.
[[nodiscard]] result<std::shared_ptr<fabric>> load_fabric(
    std::filesystem::path const& file, fabric_options options = {});

} // namespace madrigal::sim
