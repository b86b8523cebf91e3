// One MAD with its umad header, in memory that a pool owns.
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace madrigal::engine {

class packet_pool;

/// A umad header (64 bytes) and a MAD (256 bytes), as written to and read from a umad file. Belongs to one owner at a
/// time, whoever holds its `packet_ptr`.
///
/// A packet from the pool has `size` 0, and its bytes are those of an earlier use. So that these never reach the wire,
/// bytes become valid in two ways only: `prepare` zeroes what it makes valid (for MADs to be built), and `assume`
/// declares what a read has just written (for MADs that arrived). `contents` shows valid bytes alone.
struct alignas(64) packet {
    static constexpr std::size_t capacity = 320;

    packet() noexcept {} // NOLINT(modernize-use-equals-default): leaves `bytes` alone even in value initialisation
    packet(packet const&) = delete;
    packet& operator=(packet const&) = delete;
    ~packet() = default;

    packet* next = nullptr;                   ///< for the owner's lists
    std::uint32_t size = 0;                   ///< how many of `bytes` are valid
    std::uint32_t pool_index = 0;             ///< the pool's own: which packet this is
    packet_pool* pool = nullptr;              ///< the pool's own: where it goes back to
    std::atomic<std::uint32_t> next_free = 0; ///< the pool's own: the free packet below this one, plus 1
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
};

/// Owns a packet, alone; gives it back to its pool at the end. May be destroyed on any thread, before the pool.
class packet_ptr {
public:
    packet_ptr() noexcept = default;
    packet_ptr(std::nullptr_t) noexcept {} // NOLINT(google-explicit-constructor): as std::unique_ptr
    /// Takes over a packet that `release` has let go.
    explicit packet_ptr(packet* owned) noexcept : packet_{owned} {}
    packet_ptr(packet_ptr&& other) noexcept : packet_{std::exchange(other.packet_, nullptr)} {}
    packet_ptr& operator=(packet_ptr&& other) noexcept
    {
        reset(other.release());
        return *this;
    }
    ~packet_ptr() { reset(); }

    /// Gives the packet back, and takes over another one or none.
    void reset(packet* owned = nullptr) noexcept
    {
        if (auto* old = std::exchange(packet_, owned); old != nullptr)
            give_back(*old);
    }
    /// Lets go without giving back; somebody must make a `packet_ptr` of it again.
    [[nodiscard]] packet* release() noexcept { return std::exchange(packet_, nullptr); }

    [[nodiscard]] packet* get() const noexcept { return packet_; }
    packet* operator->() const noexcept { return packet_; }
    packet& operator*() const noexcept { return *packet_; }
    explicit operator bool() const noexcept { return packet_ != nullptr; }

    /// The valid bytes; none without a packet.
    [[nodiscard]] std::span<std::byte const> contents() const noexcept
    {
        return packet_ != nullptr ? std::as_const(*packet_).contents() : std::span<std::byte const>{};
    }

    friend void swap(packet_ptr& a, packet_ptr& b) noexcept { std::swap(a.packet_, b.packet_); }
    friend bool operator==(packet_ptr const& p, std::nullptr_t) noexcept { return p.packet_ == nullptr; }

private:
    static void give_back(packet& p) noexcept; // src/engine/packet_pool.cpp

    packet* packet_ = nullptr;
};

} // namespace madrigal::engine
