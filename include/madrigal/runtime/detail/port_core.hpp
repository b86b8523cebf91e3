// An opened port: one channel, or two on adapters that take SMPs and GMPs on separate devices, or one for each agent.
#pragma once

#include <madrigal/runtime/detail/agent_core.hpp>
#include <madrigal/runtime/detail/channel.hpp>
#include <madrigal/runtime/detail/reactor_core.hpp>
#include <madrigal/runtime/sm_claim.hpp>
#include <madrigal/umad/smi_gsi_pair.hpp>

#include <memory>
#include <vector>

namespace madrigal::detail {

/// On an Ethernet link layer each agent has a file of its own, because a write that waits there holds up all else that
/// is done with its file: so it holds up one agent only. For the loop's thread, or while the loop does not run.
class port_core : public std::enable_shared_from_this<port_core> {
public:
    port_core(std::shared_ptr<reactor_core> reactor, umad::opened_port opened);

    [[nodiscard]] reactor_core& reactor() const noexcept { return *reactor_; }
    [[nodiscard]] std::shared_ptr<reactor_core> const& shared_reactor() const noexcept { return reactor_; }
    [[nodiscard]] umad::port_attributes const& attributes() const noexcept { return main_->attributes(); }
    [[nodiscard]] bool gone() const noexcept;
    [[nodiscard]] port_io_counters counters() const noexcept { return *counters_; }
    [[nodiscard]] std::vector<std::weak_ptr<agent_core>> const& agents() const noexcept { return agents_; }

    [[nodiscard]] result<std::shared_ptr<agent_core>> register_agent(
        umad::registration const& wanted, agent_options const& options);
    /// Tries once to open a lost port again, by its GUID where the CA's name or the port's number changed, and
    /// registers its agents again. errc::no_such_port and the like while it is not back.
    [[nodiscard]] result<void> reopen();
    /// Opens the issm file of the device that takes SMPs.
    [[nodiscard]] result<sm_claim> claim_sm() const;
    void close();
    /// Shows all packets of the port to a sink, or to nobody.
    void show_to(packet_sink sink);

private:
    [[nodiscard]] result<std::shared_ptr<channel>> channel_for(umad::registration const& wanted);
    [[nodiscard]] result<std::shared_ptr<channel>> own_channel();
    /// All that are open, or lost.
    [[nodiscard]] std::vector<std::shared_ptr<channel>> channels() const;
    [[nodiscard]] result<umad::port_attributes> find_again(umad::port_attributes const& before);

    std::shared_ptr<reactor_core> reactor_;
    std::shared_ptr<port_io_counters> counters_;
    std::shared_ptr<tap> tap_;                         // for channels to come
    std::shared_ptr<channel> main_;                    // the port that was asked for; on Ethernet it has no agents
    std::shared_ptr<channel> partner_;                 // the other device of a split adapter, once needed
    std::vector<std::weak_ptr<channel>> own_channels_; // on Ethernet, the agents'
    std::vector<std::weak_ptr<agent_core>> agents_;
};

} // namespace madrigal::detail
