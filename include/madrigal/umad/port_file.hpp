// The seam: one open umad file, whoever stands behind it (Linux, an embedded fabric, a fabric behind a socket).
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/umad/uapi.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace madrigal::umad {

/// One open umad file with the kernel's own semantics (Linux: drivers/infiniband/core/user_mad.c). Errors of all
/// members are the kernel's errnos in `boost::system::system_category()`, without context. Nothing here blocks, save a
/// write on an Ethernet link layer while the kernel resolves a GID, and then all other calls on the file. Not
/// thread-safe, except that different files are independent; but successive calls may come from different threads, and
/// those on Ethernet, the destructor included, also after the file's host is gone.
class port_file {
public:
    port_file() = default;
    port_file(port_file const&) = delete;
    port_file& operator=(port_file const&) = delete;
    /// Closing unregisters all agents of the file.
    virtual ~port_file() = default;

    /// A descriptor for poll, epoll and select: readable when `read` has something to give, and once the device is
    /// gone. Owned by the file.
    [[nodiscard]] virtual int native_handle() const noexcept = 0;

    /// One packet: the umad header, then the MAD. EAGAIN when there is none; EIO when the device is gone; EINVAL or
    /// ENOSPC for a buffer too small (the packet stays).
    virtual result<std::size_t> read(std::span<std::byte> buffer) noexcept = 0;
    /// One packet: the umad header, then the MAD. Never would-block, unless `write_without_waiting` asked for that.
    virtual result<std::size_t> write(std::span<std::byte const> packet) noexcept = 0;
    /// From now on a write that would wait for another process answers EAGAIN instead; poll for POLLOUT tells when to
    /// try again. Of no effect on files that stand in no other process.
    virtual void write_without_waiting() noexcept {}

    /// IB_USER_MAD_ENABLE_PKEY: 64-byte headers from now on. EINVAL once an agent is registered.
    virtual error_code enable_pkey() noexcept = 0;
    /// IB_USER_MAD_REGISTER_AGENT; fills `id`.
    virtual error_code register_agent(ib_user_mad_reg_req& request) noexcept = 0;
    /// IB_USER_MAD_REGISTER_AGENT2; fills `id`, or on refused flags writes the supported ones back.
    virtual error_code register_agent2(ib_user_mad_reg_req2& request) noexcept = 0;
    /// IB_USER_MAD_UNREGISTER_AGENT.
    virtual error_code unregister_agent(std::uint32_t id) noexcept = 0;
};

/// Holds a port's issm file open: IsSM stands in the port's capability mask as long as this lives.
class issm_file {
public:
    issm_file() = default;
    issm_file(issm_file const&) = delete;
    issm_file& operator=(issm_file const&) = delete;
    virtual ~issm_file() = default;
};

} // namespace madrigal::umad
