// The handful of system calls under the Linux host, so that a test can stand in for a kernel that is not there.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace madrigal::umad {

/// The real calls; override one to change what the kernel seems to do. Each member behaves as its namesake: −1 and
/// `errno` on failure. Thread-safe as the kernel is.
class system_calls {
public:
    system_calls() = default;
    system_calls(system_calls const&) = delete;
    system_calls& operator=(system_calls const&) = delete;
    virtual ~system_calls() = default;

    /// open(2); the descriptor.
    virtual int open(char const* path, int flags) noexcept;
    /// close(2).
    virtual int close(int descriptor) noexcept;
    /// read(2); how many bytes.
    virtual ssize_t read(int descriptor, void* buffer, std::size_t size) noexcept;
    /// write(2); how many bytes.
    virtual ssize_t write(int descriptor, void const* buffer, std::size_t size) noexcept;
    /// ioctl(2) with a pointer as its argument.
    virtual int ioctl(int descriptor, unsigned long request, void* argument) noexcept;
    /// The names in a directory without `.` and `..`, in no order; 0, or −1 and `errno`.
    virtual int list_directory(char const* path, std::vector<std::string>& names);
};

/// The real ones, shared by all hosts that want nothing else.
[[nodiscard]] std::shared_ptr<system_calls> const& linux_system_calls();

} // namespace madrigal::umad
