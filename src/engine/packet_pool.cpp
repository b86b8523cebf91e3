#include <madrigal/engine/packet_pool.hpp>

#include <algorithm>
#include <cassert>
#include <new>

namespace madrigal::engine {

namespace {

constexpr std::uint64_t index_part = 0xFFFFFFFF;

/// The head that follows `old`, with `top` (an index plus 1, or 0) as its index part.
constexpr std::uint64_t next_head(std::uint64_t old, std::uint32_t top) noexcept
{
    return ((old >> 32) + 1) << 32 | top;
}

} // namespace

struct packet_pool::chunk {
    std::array<packet, chunk_packets> packets;
};

packet_pool::packet_pool(std::size_t max_packets)
    : max_packets_{std::min<std::size_t>(max_packets, index_part - chunk_packets)},
      chunks_{std::make_unique<std::atomic<chunk*>[]>( // NOLINT(modernize-avoid-c-arrays)
          (max_packets_ + chunk_packets - 1) / chunk_packets)}
{}

packet_pool::~packet_pool()
{
    assert(in_use() == 0 && "a packet outlives its pool");
    for (std::size_t number = 0; number < (max_packets_ + chunk_packets - 1) / chunk_packets; ++number)
        delete chunks_[number].load(std::memory_order_relaxed);
}

std::size_t packet_pool::allocated() const noexcept
{
    return chunks_allocated_.load(std::memory_order_relaxed) * chunk_packets;
}

packet& packet_pool::at(std::uint32_t index) const noexcept
{
    // Relaxed would do for a packet from the stack, whose chunk was there before the packet could be pushed; acquire
    // (partner: the exchange in chunk_at) costs nothing and needs no such argument.
    return chunks_[index / chunk_packets].load(std::memory_order_acquire)->packets[index % chunk_packets];
}

packet_ptr packet_pool::acquire() noexcept
{
    auto* taken = pop();
    if (taken == nullptr)
        taken = take_fresh();
    if (taken == nullptr)
        return {};
    in_use_.fetch_add(1, std::memory_order_relaxed); // a statistic, orders nothing
    taken->next = nullptr;
    taken->size = 0;
    return packet_ptr{taken};
}

packet* packet_pool::pop() noexcept
{
    // Acquire: partner of the release in release(), so that what the last owner did to the packet is over. Every change
    // of the head is an exchange, so a push further down the stack is in the same release sequence.
    auto head = head_.load(std::memory_order_acquire);
    while ((head & index_part) != 0) {
        auto& top = at(static_cast<std::uint32_t>(head & index_part) - 1);
        // May be stale when another thread has just taken this packet; then the tag has changed and the exchange fails.
        auto const below = top.next_free.load(std::memory_order_relaxed);
        if (head_.compare_exchange_weak(
                head, next_head(head, below), std::memory_order_acquire, std::memory_order_acquire))
            return &top;
    }
    return nullptr;
}

void packet_pool::release(packet& p) noexcept
{
    in_use_.fetch_sub(1, std::memory_order_relaxed);
    auto head = head_.load(std::memory_order_relaxed);
    do
        p.next_free.store(static_cast<std::uint32_t>(head & index_part), std::memory_order_relaxed);
    while (!head_.compare_exchange_weak(head, next_head(head, p.pool_index + 1), std::memory_order_release,
        std::memory_order_relaxed)); // release: partner of the acquires in pop()
}

packet* packet_pool::take_fresh() noexcept
{
    // The chunk comes before the index is claimed, so that a failed allocation leaves nothing to undo.
    auto index = fresh_.load(std::memory_order_relaxed);
    while (index < max_packets_) {
        auto* home = chunk_at(index / chunk_packets);
        if (home == nullptr)
            return pop(); // one may have come back meanwhile
        if (fresh_.compare_exchange_weak(index, index + 1, std::memory_order_relaxed))
            return &home->packets[index % chunk_packets];
    }
    return pop();
}

packet_pool::chunk* packet_pool::chunk_at(std::size_t number) noexcept
{
    auto& place = chunks_[number];
    auto* existing = place.load(std::memory_order_acquire); // partner: the exchange below
    if (existing != nullptr)
        return existing;
    auto* added = new (std::nothrow) chunk;
    if (added == nullptr)
        return nullptr;
    for (std::size_t i = 0; i < chunk_packets; ++i) {
        added->packets[i].pool = this;
        added->packets[i].pool_index = static_cast<std::uint32_t>(number * chunk_packets + i);
    }
    // Release: partner of the acquires here and in at().
    if (!place.compare_exchange_strong(existing, added, std::memory_order_acq_rel, std::memory_order_acquire)) {
        delete added; // another thread was faster
        return existing;
    }
    chunks_allocated_.fetch_add(1, std::memory_order_relaxed);
    return added;
}

void packet_ptr::give_back(packet& p) noexcept
{
    p.pool->release(p);
}

} // namespace madrigal::engine
