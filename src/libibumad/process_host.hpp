// The machine that this process sees.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/umad/host.hpp>

#include <memory>
#include <mutex>
#include <string>

namespace madrigal::libibumad {

/// The process's host while somebody uses it: one at a time, so that no thread is inside of it during a fork.
class host_access {
public:
    host_access(std::unique_lock<std::mutex> lock, umad::host& of) noexcept : lock_{std::move(lock)}, host_{&of} {}
    [[nodiscard]] umad::host& operator*() const noexcept { return *host_; }
    [[nodiscard]] umad::host* operator->() const noexcept { return host_; }

private:
    std::unique_lock<std::mutex> lock_;
    umad::host* host_;
};

/// The host that MADRIGAL_HOST names, else `linux`; opened by the first call that succeeds and kept for the rest of the
/// process. Where it cannot be opened, that is said on stderr, once for each reason, since programs only tell of a
/// missing device; the next call tries again. Any thread.
[[nodiscard]] result<host_access> use_host();

/// The CA that stands for "any" on this machine: MADRIGAL_CA, there or not; empty where it is not set. For
/// hosts that are one machine among many (`sim:`, `unix:`) MADRIGAL_CA chooses the machine instead.
[[nodiscard]] std::string preferred_ca(umad::host& of);

/// The lock of `use_host`, for a fork.
[[nodiscard]] std::mutex& host_mutex();

} // namespace madrigal::libibumad
