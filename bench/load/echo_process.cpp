#include "echo_process.hpp"

#include <madrigal/umad/uapi.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace madrigal::bench {
namespace {

/// What is asked for; without the right to exceed it, net.core.wmem_max limits what is given.
constexpr int wanted_buffer = 16 << 20;
constexpr std::size_t method_offset = umad::header_size + 3;

/// Takes and answers packets until the other end closes. Runs in the forked process: system calls only.
[[noreturn]] void answer_all(int descriptor)
{
    std::array<unsigned char, packet_size> packet{};
    for (;;) {
        auto const got = ::read(descriptor, packet.data(), packet.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= static_cast<ssize_t>(method_offset))
            ::_exit(got == 0 ? 0 : 1);
        packet[method_offset] |= 0x80;
        while (::write(descriptor, packet.data(), static_cast<std::size_t>(got)) < 0)
            if (errno != EINTR)
                ::_exit(errno == EPIPE ? 0 : 1);
    }
}

int raise_buffer(int descriptor)
{
    if (::setsockopt(descriptor, SOL_SOCKET, SO_SNDBUFFORCE, &wanted_buffer, sizeof wanted_buffer) != 0)
        (void)::setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &wanted_buffer, sizeof wanted_buffer);
    // The receiver's buffer does not count on Unix sockets; raised all the same, should that change.
    if (::setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &wanted_buffer, sizeof wanted_buffer) != 0)
        (void)::setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &wanted_buffer, sizeof wanted_buffer);
    int given = 0;
    socklen_t size = sizeof given;
    (void)::getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &given, &size);
    return given;
}

/// Fills one direction and empties it again.
unsigned find_capacity(int from, int to)
{
    std::array<unsigned char, packet_size> packet{};
    unsigned count = 0;
    while (::send(from, packet.data(), packet.size(), MSG_DONTWAIT) == static_cast<ssize_t>(packet.size()))
        ++count;
    while (::recv(to, packet.data(), packet.size(), MSG_DONTWAIT) > 0) {
    }
    return count;
}

} // namespace

result<echo_process> echo_process::start()
{
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return errno_error(errno, "a SOCK_SEQPACKET pair");
    echo_process made;
    made.descriptor_ = ends[0];
    made.buffer_size_ = std::min(raise_buffer(ends[0]), raise_buffer(ends[1]));
    made.capacity_ = std::min(find_capacity(ends[0], ends[1]), find_capacity(ends[1], ends[0]));
    auto const parent = ::getpid();
    made.process_ = ::fork();
    if (made.process_ < 0) {
        auto const number = errno;
        ::close(ends[1]);
        return errno_error(number, "fork of the echo process");
    }
    if (made.process_ == 0) {
        ::close(ends[0]);
        (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent)
            ::_exit(1);
        answer_all(ends[1]);
    }
    ::close(ends[1]);
    if (::fcntl(made.descriptor_, F_SETFL, O_RDWR | O_NONBLOCK) != 0)
        return errno_error(errno, "making the socket non-blocking");
    return made;
}

echo_process::echo_process(echo_process&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)},
      buffer_size_{other.buffer_size_},
      capacity_{other.capacity_},
      process_{std::exchange(other.process_, -1)}
{}

echo_process::~echo_process()
{
    if (descriptor_ >= 0)
        ::close(descriptor_);
    if (process_ > 0)
        while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
}

} // namespace madrigal::bench
