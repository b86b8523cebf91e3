// One MAD with its umad header, in memory that a pool owns.
#pragma once

#include <madrigal/engine/object_pool.hpp>
#include <madrigal/engine/packet_attachment.hpp>

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace madrigal::engine {

/// A umad header (64 bytes) and a MAD (256 bytes), as written to and read from a umad file. Belongs to one owner at a
/// time, whoever holds its `packet_ptr`.
///
/// A packet from the pool has `size` 0, and its bytes are those of an earlier use. So that these never reach the wire,
/// bytes become valid in two ways only: `prepare` zeroes what it makes valid (for MADs to be built), and `assume`
/// declares what a read has just written (for MADs that arrived). `contents` shows valid bytes alone.
struct alignas(32) packet : pooled<packet> {
    static constexpr std::size_t capacity = 320;
    static constexpr std::size_t pool_chunk = 64;

    packet() noexcept {} // NOLINT(modernize-use-equals-default): leaves `bytes` alone even in value initialisation
    packet(packet const&) = delete;
    packet& operator=(packet const&) = delete;
    ~packet() = default;

    std::unique_ptr<packet_attachment> more; ///< what else belongs to it; mostly nothing
    std::uint32_t size = 0;                  ///< how many of `bytes` are valid
    alignas(8) std::array<std::byte, capacity> bytes;

    /// Makes the first `count` bytes valid and zero, and gives them to be filled. At most `capacity`.
    std::span<std::byte> prepare(std::size_t count) noexcept
    {
        assert(count <= capacity);
        std::memset(bytes.data(), 0, count);
        size = static_cast<std::uint32_t>(count);
        return {bytes.data(), count};
    }
    /// All bytes, valid or not, as a place to read into; `assume` then says how many were written.
    [[nodiscard]] std::span<std::byte> storage() noexcept { return bytes; }
    /// Makes the first `count` bytes valid as they are. At most `capacity`.
    void assume(std::size_t count) noexcept
    {
        assert(count <= capacity);
        size = static_cast<std::uint32_t>(count);
    }
    /// The valid bytes.
    [[nodiscard]] std::span<std::byte const> contents() const noexcept { return {bytes.data(), size}; }
    /// The valid bytes, to be changed.
    [[nodiscard]] std::span<std::byte> contents() noexcept { return {bytes.data(), size}; }

    /// It stands for a message that goes or came by RMPP.
    [[nodiscard]] bool has_message() const noexcept { return more && !more->message.empty(); }
    /// It stands for a message that is still being made.
    [[nodiscard]] bool is_growing() const noexcept { return more && more->growing; }
    /// All valid bytes of what it stands for: the message's, else its own.
    [[nodiscard]] std::span<std::byte const> message() const noexcept
    {
        return has_message() ? std::as_const(more->message).bytes() : contents();
    }

    /// The pool's: it is free again.
    void recycle() noexcept
    {
        more.reset();
        size = 0;
    }
};
static_assert(sizeof(packet) == 352);

/// Packets for all threads.
using packet_pool = object_pool<packet>;
/// Owns a packet, alone; gives it back to its pool at the end.
using packet_ptr = pooled_ptr<packet>;

} // namespace madrigal::engine
