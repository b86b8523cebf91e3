// What the suite runs on: one machine with a port that QP1 works on, its clock, and the means to take the device away.
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/umad/host.hpp>

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>

namespace madrigal::conformance {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

/// A kernel, real or emulated. One for the whole program.
class world {
public:
    world() = default;
    world(world const&) = delete;
    world& operator=(world const&) = delete;
    virtual ~world() = default;

    /// `emulated`, `Linux 6.1.0-40-amd64`.
    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual umad::host& host() = 0;
    /// The port that all cases use.
    [[nodiscard]] std::string const& ca() const noexcept { return ca_; }
    [[nodiscard]] unsigned port() const noexcept { return port_; }
    /// The port's attributes, read anew.
    [[nodiscard]] umad::port_attributes attributes();
    /// The port's LID and first GID, read once: a soft RoCE port has a thousand GIDs, each a file.
    [[nodiscard]] lid own_lid();
    [[nodiscard]] gid own_gid();

    [[nodiscard]] bool emulated() const noexcept { return time() != nullptr; }
    /// Linux' version as major * 1000 + minor; 0 for the emulated kernel.
    [[nodiscard]] virtual unsigned version() const noexcept = 0;
    /// What poll says of a file beside POLLIN and POLLERR: a umad file and a socket can always be written to, an epoll
    /// instance has no such thing.
    [[nodiscard]] virtual short pollout() const noexcept { return POLLOUT; }
    /// What poll says of a file whose device is gone: POLLERR of a umad file; others are readable, and a socket has
    /// hung up.
    [[nodiscard]] virtual short gone() const noexcept { return POLLERR; }
    /// InfiniBand: LIDs, and QP0. Else Ethernet.
    [[nodiscard]] bool infiniband();

    /// The clock that the kernel's timeouts run by; null for the machine's own.
    [[nodiscard]] virtual time_source* time() const noexcept = 0;
    [[nodiscard]] virtual time_point now() const noexcept = 0;
    /// Lets time pass until the descriptor is readable: false where it is not within that time.
    virtual bool wait_readable(int descriptor, milliseconds within) = 0;
    /// Runs the loop, and lets time pass, until `done`; false where that takes longer than `within`.
    virtual bool run_until(asio::io_context& loop, std::function<bool()> const& done, milliseconds within) = 0;

    /// Why the device cannot be taken away here; empty where it can.
    [[nodiscard]] virtual std::string cannot_unplug() const { return {}; }
    /// Takes the device away: its open files lose it.
    virtual void unplug() = 0;
    /// Puts it back, and waits until its port is ACTIVE.
    virtual void plug() = 0;

protected:
    std::string ca_;
    unsigned port_ = 1;

private:
    umad::port_attributes const& once();
    std::optional<umad::port_attributes> attributes_;
};

/// The world of this program, made by `main`.
[[nodiscard]] world& the_world();
/// `sim`: an emulated kernel under a clock of its own. `unix`: the same behind a Unix socket. `linux:CA`: this
/// machine's, through the CA named. Null, with the reason in `why`, where there is no such port.
[[nodiscard]] std::unique_ptr<world> make_world(std::string_view name, std::string& why);

/// The OUI of the case that runs. Each has its own, so that what an earlier one has left on the wire reaches nobody.
inline std::uint32_t oui = 0x001405;

/// A case of the suite.
class Conformance : public ::testing::Test {
protected:
    Conformance() { ++oui; }

    world& on = the_world();
};

} // namespace madrigal::conformance
