// What of a file's requests the kernel may still be waiting for, seen from a client.
#pragma once

#include <madrigal/engine/zeroed_array.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace madrigal::remote {

/// Counts what was written with a timeout and is not yet answered or reported, in so many places that they seldom share
/// one. Where a packet's place is empty, nothing with its agent, class and transaction id is outstanding, and the
/// kernel would not refuse it as a duplicate. A place that is taken says nothing. Safe from any thread.
class outstanding {
public:
    /// True where the place was empty.
    bool add(std::uint32_t agent, std::uint8_t mgmt_class, std::uint64_t transaction_id) noexcept
    {
        return place(agent, mgmt_class, transaction_id).fetch_add(1, std::memory_order_relaxed) == 0;
    }
    /// True where the place is empty. Counts nothing.
    [[nodiscard]] bool has_room(std::uint32_t agent, std::uint8_t mgmt_class, std::uint64_t transaction_id) noexcept
    {
        return place(agent, mgmt_class, transaction_id).load(std::memory_order_relaxed) == 0;
    }
    void remove(std::uint32_t agent, std::uint8_t mgmt_class, std::uint64_t transaction_id) noexcept
    {
        auto const one = place(agent, mgmt_class, transaction_id);
        auto count = one.load(std::memory_order_relaxed);
        while (count != 0 && !one.compare_exchange_weak(count, static_cast<std::uint16_t>(count - 1))) {
        }
    }

private:
    static constexpr std::size_t place_count = 1 << 16;

    /// Ids that follow one another have places that do.
    std::atomic_ref<std::uint16_t> place(
        std::uint32_t agent, std::uint8_t mgmt_class, std::uint64_t transaction_id) noexcept
    {
        auto const id = static_cast<std::uint32_t>(transaction_id);
        return std::atomic_ref{places_[(id ^ id >> 16 ^ agent << 11 ^ std::uint32_t{mgmt_class} << 7) % place_count]};
    }

    engine::zeroed_array<std::uint16_t> places_{place_count};
};

} // namespace madrigal::remote
