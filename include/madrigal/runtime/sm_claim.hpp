// Being a port's subnet manager, as the kernel knows it.
#pragma once

#include <madrigal/umad/port_file.hpp>

#include <memory>
#include <utility>

namespace madrigal {

/// The port's issm file, held open; from `port::become_sm`. As long as it is held IsSM stands in the port's capability
/// mask, which tells every sweep of the fabric to ask here for SMInfo (IBA 14.2.5.6), and the port's node tells the
/// master of the change by trap 144. It says nothing of who answers: that is an agent's part.
///
/// One at a time holds a port's (Linux `drivers/infiniband/core/user_mad.c`: a second open waits, or fails with EAGAIN
/// where it may not wait), also across processes. The kernel clears the bit when the file is closed, and so when its
/// process ends. A device that goes away takes the bit along: after `port::async_reopen` this is to be let go of and
/// claimed again. Move-only; belongs to one thread at a time, whichever.
class sm_claim {
public:
    sm_claim() noexcept = default;
    explicit sm_claim(std::unique_ptr<umad::issm_file> held) noexcept : held_{std::move(held)} {}

    /// True while it is held.
    [[nodiscard]] explicit operator bool() const noexcept { return held_ != nullptr; }
    /// Lets go of it: IsSM is cleared, and the next one who waits gets it. May be repeated.
    void release() noexcept { held_.reset(); }

private:
    std::unique_ptr<umad::issm_file> held_;
};

} // namespace madrigal
