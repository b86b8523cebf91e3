#include "remote/packet_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace madrigal::remote {
namespace {

result<sockaddr_un> address_of(std::filesystem::path const& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    auto const& text = path.native();
    if (text.empty() || text.size() >= sizeof address.sun_path)
        return error{errc::invalid_argument, "socket '" + text + "': a path of a Unix socket has 1 to " +
                                                 std::to_string(sizeof address.sun_path - 1) + " bytes"};
    std::memcpy(&address.sun_path[0], text.data(), text.size());
    return address;
}

result<descriptor> make_socket(int flags)
{
    descriptor made{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0)};
    if (!made)
        return errno_error("a Unix socket");
    return made;
}

sockaddr const* general(sockaddr_un const& address) noexcept
{
    return reinterpret_cast<sockaddr const*>(&address);
}

int connect(int socket, sockaddr_un const& address) noexcept
{
    int failed = 0;
    do
        failed = ::connect(socket, general(address), sizeof address) == 0 ? 0 : errno;
    while (failed == EINTR);
    return failed;
}

} // namespace

descriptor::~descriptor()
{
    if (number_ >= 0)
        ::close(number_);
}

result<descriptor> listen_at(std::filesystem::path const& path)
{
    BOOST_OUTCOME_TRY(auto const address, address_of(path));
    BOOST_OUTCOME_TRY(auto listening, make_socket(SOCK_NONBLOCK));
    auto const bind = [&] { return ::bind(listening.get(), general(address), sizeof address) == 0 ? 0 : errno; };
    int failed = bind();
    if (failed == EADDRINUSE) {
        // Left behind by a server that has died, or somebody's who is there, or no socket at all.
        struct stat there {};
        BOOST_OUTCOME_TRY(auto const probe, make_socket(SOCK_NONBLOCK));
        if (::lstat(path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode) &&
            connect(probe.get(), address) == ECONNREFUSED) {
            (void)::unlink(path.c_str());
            failed = bind();
        }
    }
    if (failed == EADDRINUSE) {
        struct stat there {};
        bool const is_socket = ::lstat(path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode);
        return errno_error(failed,
            path.native() + (is_socket ? ": another server listens there" : ": there is something that is no socket"));
    }
    if (failed != 0)
        return errno_error(failed, "listening at " + path.native());
    // Where the kernel can, it refuses descriptors that clients send along: to close somebody's socket may take long.
    // Connections take this over (Linux 6.16, include/uapi/asm-generic/socket.h: SO_PASSRIGHTS).
    constexpr int so_passrights = 83;
    int const none = 0;
    (void)::setsockopt(listening.get(), SOL_SOCKET, so_passrights, &none, sizeof none);
    if (::listen(listening.get(), SOMAXCONN) != 0)
        return errno_error("listening at " + path.native());
    return listening;
}

result<descriptor> connect_to(std::filesystem::path const& path, int patience_s)
{
    BOOST_OUTCOME_TRY(auto const address, address_of(path));
    BOOST_OUTCOME_TRY(auto made, make_socket(0));
    timeval const patience{.tv_sec = patience_s, .tv_usec = 0};
    (void)::setsockopt(made.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)::setsockopt(made.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience); // of connect too
    if (int const failed = connect(made.get(), address); failed != 0)
        return errno_error(
            failed, "connecting to " + path.native() +
                        (failed == ECONNREFUSED || failed == ENOENT ? " (no server listens there)" : ""));
    return made;
}

int send_message(int socket, std::span<std::byte const> message) noexcept
{
    for (;;) {
        if (::send(socket, message.data(), message.size(), MSG_NOSIGNAL) >= 0)
            return 0;
        if (errno != EINTR)
            return errno;
    }
}

int receive_message(int socket, std::span<std::byte> buffer, int flags, received_message& into) noexcept
{
    ssize_t size = 0;
    do
        size = ::recv(socket, buffer.data(), buffer.size(), flags | MSG_TRUNC);
    // Where the other side closed with something unread, that is told once, before what it had sent.
    while (size < 0 && (errno == EINTR || errno == ECONNRESET));
    if (size < 0)
        return errno;
    into.size = std::min(static_cast<std::size_t>(size), buffer.size());
    into.cut = static_cast<std::size_t>(size) > buffer.size();
    return 0;
}

bool has_hung_up(int socket) noexcept
{
    pollfd look{.fd = socket, .events = POLLRDHUP, .revents = 0};
    return ::poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

} // namespace madrigal::remote
