// The lower halves of transaction ids, and what each of them stands for.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace madrigal::engine {

/// Slots found by 32-bit ids without a search: the lower 20 bits of an id are the slot's index, the upper 12 its
/// generation, 1 to 4095, which changes at each release. So an id is never 0, and an answer to an earlier request does
/// not find the later one in the same slot until the slot has been used 4,095 times more. To make that time long,
/// slots are reused oldest first, and none is before `min_rotation` slots (or all, if fewer are allowed) have been
/// used. Ids in use are never given out again.
///
/// Slots are default-constructed once, stay where they are, and are destroyed with the table; between uses their
/// contents are the user's affair. Belongs to one thread.
template <class Slot>
class transaction_table {
public:
    static constexpr unsigned index_bits = 20;
    static constexpr std::size_t index_limit = std::size_t{1} << index_bits;
    static constexpr std::uint32_t max_generation = (std::uint32_t{1} << (32 - index_bits)) - 1;
    static constexpr std::size_t min_rotation = 4096;

    /// At most `max_slots` in use at a time; `index_limit` is the most that ids can tell apart.
    explicit transaction_table(std::size_t max_slots) : max_slots_{std::min(max_slots, index_limit)}
    {
        chunks_.reserve((max_slots_ + chunk_slots - 1) / chunk_slots);
    }
    transaction_table(transaction_table const&) = delete;
    transaction_table& operator=(transaction_table const&) = delete;
    ~transaction_table() = default;

    /// A slot and its id; nullptr, `id` unchanged, when all are in use or memory is short.
    [[nodiscard]] Slot* acquire(std::uint32_t& id)
    {
        if (allocated_ < std::min(max_slots_, min_rotation) || oldest_ == none) {
            if (auto* slot = acquire_new(id); slot != nullptr)
                return slot;
        }
        if (oldest_ == none)
            return nullptr;
        auto const index = oldest_;
        auto& taken = at(index);
        oldest_ = std::exchange(taken.next_free, none);
        if (oldest_ == none)
            newest_ = none;
        return take(taken, index, id);
    }

    /// The slot with this id; nullptr if there is none, or no longer. Any number may be asked for.
    [[nodiscard]] Slot* find(std::uint32_t id) noexcept
    {
        auto* found = find_cell(id);
        return found != nullptr ? &found->slot : nullptr;
    }
    /// The same, for reading.
    [[nodiscard]] Slot const* find(std::uint32_t id) const noexcept
    {
        return const_cast<transaction_table*>(this)->find(id); // NOLINT: changes nothing
    }

    /// Ends the id's use. An id that finds no slot is passed over.
    void release(std::uint32_t id) noexcept
    {
        auto* ended = find_cell(id);
        if (ended == nullptr)
            return;
        ended->used = false;
        ended->generation = static_cast<std::uint16_t>(ended->generation == max_generation ? 1 : ended->generation + 1);
        auto const index = index_of(id);
        if (newest_ == none)
            oldest_ = index;
        else
            at(newest_).next_free = index;
        newest_ = index;
        --used_;
    }

    /// Calls `fn(id, slot)` for each slot in use, in the order of indices. `fn` may release any; of those that it
    /// acquires some may be visited.
    template <class F>
    void for_each(F&& fn)
    {
        for (std::uint32_t index = 0; index < allocated_; ++index)
            if (auto& visited = at(index); visited.used)
                fn(make_id(index, visited.generation), visited.slot);
    }

    /// Slots in use.
    [[nodiscard]] std::size_t size() const noexcept { return used_; }
    [[nodiscard]] bool empty() const noexcept { return used_ == 0; }
    [[nodiscard]] std::size_t max_slots() const noexcept { return max_slots_; }
    /// Slots that have ever been used.
    [[nodiscard]] std::size_t allocated() const noexcept { return allocated_; }

    /// The lower 20 bits of an id: which slot.
    [[nodiscard]] static constexpr std::uint32_t index_of(std::uint32_t id) noexcept
    {
        return id & (static_cast<std::uint32_t>(index_limit) - 1);
    }
    /// The upper 12 bits of an id: which use of the slot.
    [[nodiscard]] static constexpr std::uint32_t generation_of(std::uint32_t id) noexcept { return id >> index_bits; }

private:
    static constexpr std::size_t chunk_slots = min_rotation; // so that a table grows once before it rotates
    static constexpr std::uint32_t none = 0xFFFFFFFF;

    struct cell {
        Slot slot{};
        std::uint32_t next_free = none;
        std::uint16_t generation = 1; // of the use now, or of the next one
        bool used = false;
    };
    using chunk = std::array<cell, chunk_slots>;

    [[nodiscard]] static constexpr std::uint32_t make_id(std::uint32_t index, std::uint32_t generation) noexcept
    {
        return generation << index_bits | index;
    }
    [[nodiscard]] cell& at(std::uint32_t index) noexcept
    {
        return (*chunks_[index / chunk_slots])[index % chunk_slots];
    }
    [[nodiscard]] cell* find_cell(std::uint32_t id) noexcept
    {
        auto const index = index_of(id);
        if (index >= allocated_)
            return nullptr;
        auto& candidate = at(index);
        return candidate.used && candidate.generation == generation_of(id) ? &candidate : nullptr;
    }
    Slot* take(cell& taken, std::uint32_t index, std::uint32_t& id) noexcept
    {
        taken.used = true;
        ++used_;
        id = make_id(index, taken.generation);
        return &taken.slot;
    }
    Slot* acquire_new(std::uint32_t& id)
    {
        if (allocated_ == max_slots_)
            return nullptr;
        if (allocated_ == chunks_.size() * chunk_slots) {
            std::unique_ptr<chunk> added{new (std::nothrow) chunk{}};
            if (!added)
                return nullptr;
            chunks_.push_back(std::move(added)); // reserved in the constructor
        }
        auto const index = static_cast<std::uint32_t>(allocated_++);
        return take(at(index), index, id);
    }

    std::size_t max_slots_;
    std::vector<std::unique_ptr<chunk>> chunks_;
    std::size_t allocated_ = 0;
    std::size_t used_ = 0;
    std::uint32_t oldest_ = none; // free slots, in the order of their releases
    std::uint32_t newest_ = none;
};

} // namespace madrigal::engine
