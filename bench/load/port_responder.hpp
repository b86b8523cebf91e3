// Answers on a port what the peers ask there.
#pragma once

#include <madrigal/umad/catalogue.hpp>
#include <madrigal/umad/registration.hpp>

#include <memory>

namespace madrigal::bench {

/// Answers every Get of one class on a port at once, by bare reads and writes on a umad file of its own. Ends with this
/// object.
class port_responder {
public:
    port_responder() = default;
    port_responder(port_responder const&) = delete;
    port_responder& operator=(port_responder const&) = delete;
    virtual ~port_responder() = default;
};

/// In a process of its own, forked here; before the program has any other thread. Waits until it is ready. Errors: what
/// the process could not do, such as registering where somebody serves the class already.
[[nodiscard]] result<std::unique_ptr<port_responder>> start_process_responder(
    umad::host& host, umad::port_selector const& where, umad::registration const& client);

/// In a thread, for hosts whose fabric lives in this process.
[[nodiscard]] result<std::unique_ptr<port_responder>> start_thread_responder(
    umad::host& host, umad::port_selector const& where, umad::registration const& client);

} // namespace madrigal::bench
