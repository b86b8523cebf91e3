// What both emulated worlds are: a kernel under a clock that moves when a test waits.
#pragma once

#include "conformance/world.hpp"

#include <madrigal/engine/virtual_time.hpp>
#include <madrigal/sim/fabric.hpp>

namespace madrigal::conformance {

/// Two hosts behind one switch, configured; the world's port is the first host's.
[[nodiscard]] std::shared_ptr<sim::fabric> make_small_fabric(time_source& clock);
/// The first host's adapter.
[[nodiscard]] topology::node_index first_ca(sim::fabric const& of);

class virtual_world : public world {
public:
    [[nodiscard]] unsigned version() const noexcept override { return 0; }
    [[nodiscard]] time_source* time() const noexcept override { return &clock_; }
    [[nodiscard]] time_point now() const noexcept override { return clock_.now(); }

    bool wait_readable(int descriptor, milliseconds within) override;
    bool run_until(asio::io_context& loop, std::function<bool()> const& done, milliseconds within) override;
    void unplug() override;
    void plug() override;

protected:
    /// Everything that is to be done on the other side of a descriptor, and needs no time, is done.
    virtual void settle() {}
    /// To the next thing that happens, or to the deadline where that comes first.
    virtual void pass_until(time_point deadline) = 0;
    /// Calls it with the fabric, where that may be used.
    virtual void with_fabric(std::function<void(sim::fabric&)> const& what) = 0;

    mutable engine::virtual_time clock_;

private:
    void configure_again();

    umad::port_attributes before_;
};

} // namespace madrigal::conformance
