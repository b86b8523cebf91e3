// Packets for all threads, without a lock and, once warm, without the heap.
#pragma once

#include <madrigal/engine/packet.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace madrigal::engine {

/// A bounded pool of packets. `acquire`, the ends of `packet_ptr`s and the counts are safe from any thread and
/// lock-free (the heap's own locks apart, while the pool still grows).
///
/// Free packets form a stack. Its head holds the index of the top packet and a tag that every change increments, so
/// that a thread which slept between reading the head and exchanging it cannot mistake a new head for the old one.
/// Chunks of packets are added as needed and freed with the pool only, so that reading a packet that another thread
/// has just taken off the stack is harmless.
class packet_pool {
public:
    /// How many packets the pool grows by.
    static constexpr std::size_t chunk_packets = 64;

    /// At most `max_packets` will be out at a time. Allocates the directory of chunks, no packet yet.
    explicit packet_pool(std::size_t max_packets);
    packet_pool(packet_pool const&) = delete;
    packet_pool& operator=(packet_pool const&) = delete;
    /// All packets must be back.
    ~packet_pool();

    /// A packet of size 0, whose bytes are left over from earlier uses (see `packet`). Empty when `max_packets` are out
    /// or memory is short.
    [[nodiscard]] packet_ptr acquire() noexcept;

    /// Packets that are out. Under concurrent use a number that was true recently.
    [[nodiscard]] std::size_t in_use() const noexcept { return in_use_.load(std::memory_order_relaxed); }
    /// Packets for which memory has been taken from the heap.
    [[nodiscard]] std::size_t allocated() const noexcept;
    [[nodiscard]] std::size_t max_packets() const noexcept { return max_packets_; }

private:
    friend class packet_ptr;
    struct chunk;

    void release(packet& p) noexcept;
    [[nodiscard]] packet* pop() noexcept;
    [[nodiscard]] packet* take_fresh() noexcept;
    [[nodiscard]] chunk* chunk_at(std::size_t number) noexcept;
    [[nodiscard]] packet& at(std::uint32_t index) const noexcept;

    std::size_t const max_packets_;
    std::unique_ptr<std::atomic<chunk*>[]> const chunks_; // NOLINT(modernize-avoid-c-arrays): length known at run time
    alignas(64) std::atomic<std::uint64_t> head_ = 0;     // tag << 32 | index + 1; index part 0: empty
    alignas(64) std::atomic<std::uint32_t> fresh_ = 0;    // packets below this index have been handed out before
    std::atomic<std::size_t> chunks_allocated_ = 0;
    alignas(64) std::atomic<std::size_t> in_use_ = 0;
};

} // namespace madrigal::engine
