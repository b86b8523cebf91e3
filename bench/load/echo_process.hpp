// The other end of the wire: a process that answers every MAD at once.
#pragma once

#include <madrigal/error.hpp>

#include <cstddef>
#include <sys/types.h>

namespace madrigal::bench {

/// The size of a packet: umad header and MAD.
inline constexpr std::size_t packet_size = 320;

/// A forked process at the other end of a SOCK_SEQPACKET pair. It reads packets, sets the response bit of the MAD's
/// method, leaves the rest as it is and writes them back, one by one. Ends with this object.
class echo_process {
public:
    /// Forks; before the program has any other thread.
    [[nodiscard]] static result<echo_process> start();
    echo_process(echo_process&& other) noexcept;
    echo_process& operator=(echo_process&&) = delete;
    ~echo_process();

    /// Our end, non-blocking.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// SO_SNDBUF of both ends in bytes, as the kernel counts them: twice what it gave.
    [[nodiscard]] int buffer_size() const noexcept { return buffer_size_; }
    /// How many packets one direction holds, found by filling it.
    [[nodiscard]] unsigned capacity() const noexcept { return capacity_; }

private:
    echo_process() = default;

    int descriptor_ = -1;
    int buffer_size_ = 0;
    unsigned capacity_ = 0;
    pid_t process_ = -1;
};

} // namespace madrigal::bench
