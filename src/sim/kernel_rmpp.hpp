// RMPP as the kernel does it for an agent: a message written is sent in segments, segments received become a message.
#pragma once

#include <sim/event_queue.hpp>
#include <sim/kernel_send.hpp>
#include <sim/packet.hpp>

#include <madrigal/engine/rmpp_transfers.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

namespace madrigal::sim {

class core;
class kernel_file;
struct kernel_agent;

/// The transfers of one agent with `has_kernel_rmpp()` (Linux: drivers/infiniband/core/mad_rmpp.c). The engine's
/// machines in the kernel's manner say what is sent; this sends it, under the fabric's time, and tells the file what
/// became of it. Segments and acknowledgements go over the wire as any other packet does. Used under the fabric's lock.
class kernel_rmpp final : public event {
public:
    /// What the messages of an agent take at most: those that arrive or wait unread together, those that are sent
    /// together. A real kernel takes all the memory that there is. A message that finds no room is stopped (STOP,
    /// status 1), a write ENOMEM.
    static constexpr std::size_t most_bytes = std::size_t{128} << 20;

    kernel_rmpp(core& of, kernel_file& file, kernel_agent const& agent);
    kernel_rmpp(kernel_rmpp const&) = delete;
    kernel_rmpp& operator=(kernel_rmpp const&) = delete;
    /// The peers of what is under way are told nothing, as by a kernel whose agent goes.
    ~kernel_rmpp();

    /// Takes a message to be sent: `kept` tells whom to and which transaction, `message` has the rest. 0 and a ticket
    /// in `kept`, or an errno. Nothing is sent before `work`.
    int start(kernel_send& kept, std::span<std::byte const> message);
    /// The send is no more: neither is its transfer, and the peer is told nothing.
    void forget(kernel_send const& kept) noexcept;
    /// A packet of a transfer, whose `header` is filled in; ends its way.
    void receive(packet& one);
    /// Does whatever is to be done now, and sees to be called again when more is.
    void work();

private:
    void tell(engine::rmpp_event& what);
    void schedule();

    core& core_;
    kernel_file& file_;
    kernel_agent const& agent_;
    engine::rmpp_transfers transfers_;
    std::shared_ptr<engine::rmpp_budget> sending_;
    std::unordered_map<std::uint64_t, kernel_send*> sends_; ///< by ticket
    std::uint64_t last_ticket_ = 0;
    std::uint64_t repeated_ = 0; ///< as counted so far
    time_point due_ = never;     ///< when it is queued for
    bool working_ = false;
};

} // namespace madrigal::sim
