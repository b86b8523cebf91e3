#include "echo_process.hpp"

#include <madrigal/umad/uapi.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <poll.h>
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

using packet_bytes = std::array<unsigned char, packet_size>;

struct echoed {
    std::size_t size = 0;
    packet_bytes bytes{};
};

/// What an echo process keeps. It runs in the forked process.
class echo {
public:
    explicit echo(int descriptor) noexcept : descriptor_{descriptor} {}

    void take(echoed& packet)
    {
        if (discards_) {
            ++discarded_;
            return;
        }
        if (limit_ == 0 && held_.empty()) {
            answer(packet);
            return;
        }
        held_.push_back(packet);
        release();
    }
    void hold(std::size_t limit)
    {
        limit_ = limit;
        release();
    }
    void discard() noexcept { discards_ = true; }
    void settle() noexcept
    {
        discards_ = false;
        auto const count = std::exchange(discarded_, 0);
        write(&count, sizeof count);
    }

private:
    void release()
    {
        while (held_.size() > limit_) {
            answer(held_.front());
            held_.pop_front();
        }
    }
    void answer(echoed& packet) noexcept
    {
        packet.bytes[method_offset] |= 0x80;
        write(packet.bytes.data(), packet.size);
    }
    void write(void const* bytes, std::size_t size) const noexcept
    {
        while (::write(descriptor_, bytes, size) < 0)
            if (errno != EINTR)
                ::_exit(errno == EPIPE ? 0 : 1);
    }

    int descriptor_;
    std::size_t limit_ = 0;
    std::deque<echoed> held_{};
    bool discards_ = false;
    std::uint64_t discarded_ = 0;
};

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

void echo_process::answer_all(int descriptor)
{
    echo all{descriptor};
    for (echoed packet;;) {
        auto const got = ::read(descriptor, packet.bytes.data(), packet.bytes.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            ::_exit(got == 0 ? 0 : 1); // the other end has been closed
        packet.size = static_cast<std::size_t>(got);
        if (packet.size == sizeof(order)) {
            order told{};
            std::memcpy(&told, packet.bytes.data(), sizeof told);
            switch (told.what) {
            case command::hold: all.hold(told.number); break;
            case command::discard: all.discard(); break;
            case command::settle: all.settle(); break;
            }
        } else if (packet.size > method_offset) {
            all.take(packet);
        }
    }
}

void echo_process::tell(command what, std::uint32_t number) const noexcept
{
    order const told{what, number};
    while (::write(descriptor_, &told, sizeof told) < 0 && (errno == EAGAIN || errno == EINTR)) {
        pollfd room{descriptor_, POLLOUT, 0};
        (void)::poll(&room, 1, -1);
    }
}

result<std::uint64_t> echo_process::settle() const
{
    tell(command::settle, 0);
    for (;;) {
        packet_bytes bytes{};
        auto const got = ::read(descriptor_, bytes.data(), bytes.size());
        std::uint64_t count = 0;
        if (got == sizeof count) {
            std::memcpy(&count, bytes.data(), sizeof count);
            return count;
        }
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return errno_error(got == 0 ? EIO : errno, "the echo process");
        pollfd answer{descriptor_, POLLIN, 0};
        (void)::poll(&answer, 1, -1);
    }
}

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
        (void)::prctl(PR_SET_NAME, "bench-echo"); // so that a profiler tells it from the client
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
