// Unix sockets whose messages arrive whole, and descriptors that travel with them.
#pragma once

#include <madrigal/error.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

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

/// Listens, non-blocking. A socket of a server that has died is replaced.
[[nodiscard]] result<descriptor> listen_at(std::filesystem::path const& path);
/// Connects, blocking; what comes after may take `patience_s` seconds each.
[[nodiscard]] result<descriptor> connect_to(std::filesystem::path const& path, int patience_s);

/// Sends one message, with the descriptor `along` where it is not negative. 0 or an errno.
[[nodiscard]] int send_message(int socket, std::span<std::byte const> message, int along = -1) noexcept;

/// What came.
struct received_message {
    std::size_t size = 0;  ///< of the message; 0 at the connection's end
    bool cut = false;      ///< the buffer was too small for it
    descriptor along = {}; ///< the descriptor that came with it
};
/// Receives one message; the flags are recvmsg(2)'s. An errno where none came.
[[nodiscard]] int receive_message(int socket, std::span<std::byte> buffer, int flags, received_message& into) noexcept;

/// A memory file with these bytes, that cannot change any more.
[[nodiscard]] result<descriptor> make_memory_file(std::span<std::byte const> bytes);
/// The size of a memory file that cannot shrink; an errno for whatever else somebody has sent instead.
[[nodiscard]] int memory_file_size(int file, std::size_t& size) noexcept;
/// Copies from a memory file's beginning. 0 or an errno.
[[nodiscard]] int read_memory_file(int file, std::span<std::byte> into) noexcept;

/// The other side has closed the connection, or died.
[[nodiscard]] bool has_hung_up(int socket) noexcept;

} // namespace madrigal::remote
