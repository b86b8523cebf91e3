// The other end of the wire: a process that answers every MAD at once.
#pragma once

#include <madrigal/error.hpp>

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace madrigal::bench {

/// The size of a packet: umad header and MAD.
inline constexpr std::size_t packet_size = 320;

/// A forked process at the other end of a SOCK_SEQPACKET pair. It reads packets, sets the response bit of the MAD's
/// method, leaves the rest as it is and writes them back, one by one. It can be told to hold a number of packets, or to
/// answer none. Ends with this object.
class echo_process {
public:
    /// Forks; before the program has any other thread.
    [[nodiscard]] static result<echo_process> start();
    echo_process(echo_process&& other) noexcept;
    echo_process& operator=(echo_process&&) = delete;
    ~echo_process();

    /// Our end, non-blocking.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// From now on it holds so many packets and answers the oldest when one more comes; those in excess at once. What
    /// is told takes its place among the packets written before and after.
    void hold(unsigned packets) const noexcept { tell(command::hold, packets); }
    /// From now on it counts what comes and answers nothing; `settle` ends that.
    void discard() const noexcept { tell(command::discard, 0); }
    /// Waits until it has read all that was written, and lets it answer again. How many packets it has discarded. Only
    /// while nobody else reads from the socket.
    [[nodiscard]] result<std::uint64_t> settle() const;

    /// SO_SNDBUF of both ends in bytes, as the kernel counts them: twice what it gave.
    [[nodiscard]] int buffer_size() const noexcept { return buffer_size_; }
    /// How many packets one direction holds, found by filling it.
    [[nodiscard]] unsigned capacity() const noexcept { return capacity_; }

private:
    enum class command : std::uint32_t { hold, discard, settle };
    /// A packet of 8 bytes: what to do, and a number.
    struct order {
        command what;
        std::uint32_t number;
    };

    echo_process() = default;
    void tell(command what, std::uint32_t number) const noexcept;
    [[noreturn]] static void answer_all(int descriptor);

    int descriptor_ = -1;
    int buffer_size_ = 0;
    unsigned capacity_ = 0;
    pid_t process_ = -1;
};

} // namespace madrigal::bench
