// Unix sockets whose messages arrive whole.
#pragma once

#include <madrigal/error.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

namespace madrigal::remote {

/// An open descriptor that is closed with its owner.
class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int number) noexcept : number_{number} {}
    descriptor(descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
    descriptor& operator=(descriptor&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor();

    [[nodiscard]] int get() const noexcept { return number_; }
    [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }
    explicit operator bool() const noexcept { return number_ >= 0; }

private:
    int number_ = -1;
};

/// Of a Unix socket's path, in bytes.
inline constexpr std::size_t longest_path = 107;

/// Listens, non-blocking. A socket of a server that has died is replaced.
[[nodiscard]] result<descriptor> listen_at(std::filesystem::path const& path);
/// Connects, blocking; what comes after may take `patience_s` seconds each.
[[nodiscard]] result<descriptor> connect_to(std::filesystem::path const& path, int patience_s);

/// Sends one message. 0 or an errno.
[[nodiscard]] int send_message(int socket, std::span<std::byte const> message) noexcept;

/// What came.
struct received_message {
    std::size_t size = 0; ///< as much of it as is here; 0 at the connection's end
    bool cut = false;     ///< the buffer was too small for it
};
/// Receives one message; the flags are recvmsg(2)'s. An errno where none came. Descriptors that came with it are
/// dropped.
[[nodiscard]] int receive_message(int socket, std::span<std::byte> buffer, int flags, received_message& into) noexcept;

/// The other side has closed the connection, or died.
[[nodiscard]] bool has_hung_up(int socket) noexcept;

} // namespace madrigal::remote
