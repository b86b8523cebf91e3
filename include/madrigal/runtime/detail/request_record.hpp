// A request as the runtime makes it: one record from the call to the outcome, whichever thread calls.
#pragma once

#include <madrigal/engine/request_machine.hpp>
#include <madrigal/runtime/detail/operation.hpp>
#include <madrigal/runtime/detail/submission.hpp>

namespace madrigal::detail {

class agent_core;

/// Lets a request be handed to the loop as it is. The agent runs what has been submitted before it closes, so that a
/// plain pointer to it will do.
class submitted_request : public submission {
public:
    void run() final;
    void discard() noexcept final;
    void belong_to(agent_core& agent) noexcept { agent_ = &agent; }

protected:
    ~submitted_request() = default;

private:
    agent_core* agent_ = nullptr;
};

using request_machine = engine::request_machine<operation, submitted_request>;
using request_record = request_machine::request;
using request_ptr = request_machine::request_ptr;

} // namespace madrigal::detail
