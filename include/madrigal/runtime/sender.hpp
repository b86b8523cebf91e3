// Sending from any thread, without waiting.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/runtime/detail/agent_core.hpp>
#include <madrigal/runtime/query.hpp>

#include <memory>

namespace madrigal {

/// Sends MADs through an agent. Copyable; any thread; takes no lock but the heap's own. It keeps the agent's memory,
/// not its registration: once the agent is closed every send fails with errc::agent_closed.
class sender {
public:
    explicit sender(std::shared_ptr<detail::agent_core> agent) noexcept : agent_{std::move(agent)} {}

    /// Sends a MAD that needs no answer. On the loop's thread, unless MADs of other threads are queued before it, it is
    /// written at once and the error is the kernel's; elsewhere, and on Ethernet where the write may wait, it is
    /// queued, and a failure of the later write is counted by the agent. Errors: errc::queue_full
    /// (`agent_options::queue_limit` of them wait), errc::device_gone, errc::agent_closed.
    [[nodiscard]] result<void> try_send(raw_mad const& mad) const;

private:
    std::shared_ptr<detail::agent_core> agent_;
};

} // namespace madrigal
