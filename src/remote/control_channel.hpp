// A process's questions to a server, one at a time.
#pragma once

#include "remote/message.hpp"
#include "remote/packet_socket.hpp"
#include "remote/protocol.hpp"

#include <madrigal/error.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <sys/types.h>
#include <vector>

namespace madrigal::remote {

/// An answer that is what was asked for, behind its head.
class answer {
public:
    explicit answer(std::vector<std::byte> bytes) noexcept : bytes_{std::move(bytes)} {}
    [[nodiscard]] message_reader reader() const noexcept;

private:
    std::vector<std::byte> bytes_;
};

/// How long a server may take for an answer.
inline constexpr int patience_s = 30;

/// Sends a question and waits for its answer. An error where the server has none, or none that can be read.
[[nodiscard]] result<answer> ask(int socket, operation what, std::uint64_t sequence, message_writer const& question,
    std::filesystem::path const& path);

/// Safe from any thread, and in a child of the process too, which makes a connection of its own.
class control_channel {
public:
    explicit control_channel(std::filesystem::path path) : path_{std::move(path)} {}
    control_channel(control_channel const&) = delete;
    control_channel& operator=(control_channel const&) = delete;
    ~control_channel() { delete connection_.load(); }

    /// A connection that a server has lost is made anew once.
    [[nodiscard]] result<answer> ask(operation what, message_writer const& question);
    [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

private:
    struct connection {
        pid_t owner = 0;
        std::mutex mutex{};
        descriptor socket{};
        std::uint64_t sequence = 0;
        /// Left alone: a thread that is not in this process may hold its lock.
        std::unique_ptr<connection> of_parent{};
    };
    [[nodiscard]] connection& mine();
    [[nodiscard]] result<answer> ask(connection& over, operation what, message_writer const& question) const;

    std::filesystem::path path_;
    std::atomic<connection*> connection_ = nullptr;
};

} // namespace madrigal::remote
