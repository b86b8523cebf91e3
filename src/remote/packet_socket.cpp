#include "remote/packet_socket.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace madrigal::remote {
namespace {

/// Room for the descriptor that a message may bring.
struct alignas(cmsghdr) ancillary {
    std::array<char, CMSG_SPACE(sizeof(int))> bytes{};
};

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
        BOOST_OUTCOME_TRY(auto const probe, make_socket(0));
        if (::lstat(path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode) &&
            connect(probe.get(), address) == ECONNREFUSED) {
            (void)::unlink(path.c_str());
            failed = bind();
        }
    }
    if (failed != 0)
        return errno_error(failed, "listening at " + path.native());
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

int send_message(int socket, std::span<std::byte const> message, int along) noexcept
{
    iovec part{const_cast<std::byte*>(message.data()), message.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    ancillary room;
    if (along >= 0) {
        header.msg_control = room.bytes.data();
        header.msg_controllen = room.bytes.size();
        auto* const first = CMSG_FIRSTHDR(&header);
        first->cmsg_level = SOL_SOCKET;
        first->cmsg_type = SCM_RIGHTS;
        first->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(first), &along, sizeof along);
    }
    for (;;) {
        if (::sendmsg(socket, &header, MSG_NOSIGNAL) >= 0)
            return 0;
        if (errno != EINTR)
            return errno;
    }
}

int receive_message(int socket, std::span<std::byte> buffer, int flags, received_message& into) noexcept
{
    iovec part{buffer.data(), buffer.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    ancillary room;
    header.msg_control = room.bytes.data();
    header.msg_controllen = room.bytes.size();
    ssize_t size = 0;
    do
        size = ::recvmsg(socket, &header, flags | MSG_CMSG_CLOEXEC);
    while (size < 0 && errno == EINTR);
    if (size < 0)
        return errno;
    into.size = static_cast<std::size_t>(size);
    into.cut = (header.msg_flags & MSG_TRUNC) != 0;
    for (auto* one = CMSG_FIRSTHDR(&header); one != nullptr; one = CMSG_NXTHDR(&header, one))
        if (one->cmsg_level == SOL_SOCKET && one->cmsg_type == SCM_RIGHTS && one->cmsg_len == CMSG_LEN(sizeof(int))) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(one), sizeof number);
            into.along = descriptor{number};
        }
    return 0;
}

result<descriptor> make_memory_file(std::span<std::byte const> bytes)
{
    descriptor made{::memfd_create("madrigal message", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (!made)
        return errno_error("a memory file");
    while (!bytes.empty()) {
        auto const written = ::write(made.get(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR)
            return errno_error("writing to a memory file");
        if (written > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    if (::fcntl(made.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
        return errno_error("sealing a memory file");
    return made;
}

int memory_file_size(int file, std::size_t& size) noexcept
{
    struct stat told {};
    // Only memory files have seals: nothing else may be read here, since it could block.
    auto const seals = ::fcntl(file, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
        return EINVAL;
    if (::fstat(file, &told) != 0)
        return errno;
    size = static_cast<std::size_t>(told.st_size);
    return 0;
}

int read_memory_file(int file, std::span<std::byte> into) noexcept
{
    for (off_t at = 0; !into.empty();) {
        auto const size = ::pread(file, into.data(), into.size(), at);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return size < 0 ? errno : EINVAL;
        at += size;
        into = into.subspan(static_cast<std::size_t>(size));
    }
    return 0;
}

bool has_hung_up(int socket) noexcept
{
    pollfd look{.fd = socket, .events = POLLRDHUP, .revents = 0};
    return ::poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

} // namespace madrigal::remote
