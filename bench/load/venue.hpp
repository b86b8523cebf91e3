// Where the load is run: over a socket to an echo process, or over a port to itself.
#pragma once

#include "echo_process.hpp"
#include "port_responder.hpp"

#include <madrigal/runtime/query.hpp>
#include <madrigal/umad/host.hpp>
#include <madrigal/umad/registration.hpp>

#include <memory>
#include <optional>
#include <string>

namespace madrigal::bench {

/// What all peers of one run share: the machine, the port, who asks there, and what is asked of whom. Something of ours
/// answers as long as this lives.
struct venue {
    std::shared_ptr<umad::host> host;
    umad::port_attributes port;
    umad::registration client; ///< as whom the peers ask
    raw_mad question;          ///< a Get; its transaction id counts for nothing

    std::optional<echo_process> echo{};          ///< over a socket
    std::unique_ptr<port_responder> responder{}; ///< over a port

    /// The socket's descriptor, -1 where the load goes over a port.
    [[nodiscard]] int socket() const noexcept { return echo ? echo->descriptor() : -1; }
    /// The port is one that the kernel of this machine has, so that libibumad knows it too.
    [[nodiscard]] bool on_kernel() const { return host->uri() == "linux"; }
};

/// A SOCK_SEQPACKET pair with a process that answers. Forks; before the program has any other thread.
[[nodiscard]] result<venue> socket_venue();

/// A port of a host that sends to itself: by its LID on InfiniBand, by its first GID on Ethernet. The port is chosen as
/// `umad::select_port` does. A process answers (a thread on a `sim:` host, whose fabric lives in this process), with a
/// umad file of its own, Gets of class 0x32 under OpenIB's OUI. Forks; before the program has any other thread.
[[nodiscard]] result<venue> port_venue(std::string const& uri, std::string const& ca, std::optional<unsigned> port);

} // namespace madrigal::bench
