// Many deadlines, one timer.
#pragma once

#include <madrigal/engine/time.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace madrigal::engine {

/// What can have a deadline in a `deadline_wheel`: derive from it, or hold one. Neither copied nor moved; erased before
/// it is destroyed, unless the wheel is not used any more either.
class deadline_node {
public:
    deadline_node() noexcept = default;
    deadline_node(deadline_node const&) = delete;
    deadline_node& operator=(deadline_node const&) = delete;
    ~deadline_node() = default;

    /// True while it stands in a wheel.
    [[nodiscard]] bool linked() const noexcept { return place_ != nowhere; }
    /// The deadline it was last inserted with.
    [[nodiscard]] time_point deadline() const noexcept { return deadline_; }

private:
    friend class deadline_wheel;
    static constexpr std::uint16_t nowhere = 0xFFFF;

    deadline_node* next_ = nullptr;     // in its slot; in the heap: next sibling
    deadline_node* previous_ = nullptr; // in its slot; in the heap: previous sibling, or the parent of a first child
    deadline_node* child_ = nullptr;    // in the heap: first child
    time_point deadline_;
    std::uint64_t order_ : 48 = 0; // equal deadlines expire in the order of their insertion
    std::uint64_t place_ : 16 = nowhere;
};

/// A hierarchical timing wheel (Varghese and Lauck, 1987) with exact expiry. Belongs to one thread, reads no clock.
///
/// Time is cut into ticks. A node stands on the level of the highest group of 6 bits in which its tick differs from the
/// wheel's own, in the slot of that group's value; so all slots of a level are later than all of the levels below, and
/// any deadline has its place, however far. When the wheel's time comes to a slot, its nodes go down; those of the tick
/// itself go into a pairing heap ordered by deadline. Insertion is O(1), erasure O(1) for a node in a slot and
/// O(log n) amortised in the heap, which holds one tick's nodes and overdue ones.
///
/// Nodes expire in the order of their deadlines, equal ones in the order of their insertion; at their deadline and
/// later, never before, however coarse the tick.
class deadline_wheel {
public:
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

    /// The tick decides how the work is spread, not when nodes expire. It is rounded up to a power of two of
    /// nanoseconds.
    explicit deadline_wheel(duration tick = std::chrono::milliseconds{1}) noexcept
        : tick_bits_{std::countr_zero(std::bit_ceil(
              static_cast<std::uint64_t>(std::clamp<duration::rep>(tick.count(), 1, std::int64_t{1} << 62))))}
    {}
    deadline_wheel(deadline_wheel const&) = delete;
    deadline_wheel& operator=(deadline_wheel const&) = delete;
    /// Nodes still in it are left alone.
    ~deadline_wheel() = default;

    /// Gives the node a deadline, a new one if it stands in this wheel already. `never` takes it out instead.
    void insert(deadline_node& node, time_point when) noexcept
    {
        erase(node);
        if (when == never)
            return;
        node.deadline_ = when;
        node.order_ = order_++;
        ++size_;
        if (expiring_ && when <= turn_time_) {
            put_in(arrivals_, node, in_arrivals);
            arrivals_earliest_ = std::min(arrivals_earliest_, when);
        } else
            place(node);
    }
    /// Takes the node out; no harm if it is not in.
    void erase(deadline_node& node) noexcept
    {
        if (!node.linked())
            return;
        auto const where = static_cast<std::uint16_t>(node.place_);
        node.place_ = deadline_node::nowhere;
        --size_;
        if (where == in_heap) {
            take_from_heap(node);
            return;
        }
        auto& first = where == in_arrivals ? arrivals_ : slots_[where].first;
        (node.previous_ != nullptr ? node.previous_->next_ : first) = node.next_;
        if (node.next_ != nullptr)
            node.next_->previous_ = node.previous_;
        if (first == nullptr && where != in_arrivals) {
            slots_[where].earliest = never;
            occupied_[where / slots] &= ~(std::uint64_t{1} << (where % slots));
        }
    }

    /// No node expires before this; `never` if there is none. Exact, unless the earliest node has been erased since:
    /// then it may be earlier by up to the width of a slot, and `expire` at that time makes it exact. A caller that
    /// sleeps until `next()` and then calls `expire` makes no useless turn besides these.
    [[nodiscard]] time_point next() const noexcept;

    /// Takes out the nodes whose deadlines are at or before `now`, at most `budget` of them, and calls
    /// `on_expired(node)` for each. Returns how many. With more than `budget` due, `next()` stays at or before `now`.
    ///
    /// The callback may insert, erase and destroy any node, the expired one included. A node that it inserts with a
    /// deadline at or before `now` waits for the next call, so that this one ends. It must not call `expire`.
    template <class F>
    std::size_t expire(time_point now, F&& on_expired, std::size_t budget = unlimited)
    {
        assert(!expiring_);
        struct end_of_turn {
            deadline_wheel& wheel;
            ~end_of_turn() { wheel.end_turn(); }
        } const turn{*this};
        expiring_ = true;
        turn_time_ = now;
        std::size_t count = 0;
        while (count < budget) {
            auto* node = take_due(now);
            if (node == nullptr)
                break;
            ++count;
            on_expired(*node);
        }
        return count;
    }

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] duration tick() const noexcept { return duration{std::int64_t{1} << tick_bits_}; }

private:
    static constexpr unsigned group_bits = 6;
    static constexpr unsigned slots = 1U << group_bits;
    static constexpr unsigned levels = (64 + group_bits - 1) / group_bits;
    static constexpr std::uint16_t in_heap = levels * slots;
    static constexpr std::uint16_t in_arrivals = in_heap + 1;

    struct slot {
        deadline_node* first = nullptr;
        time_point earliest = never; // no node in it is before this
    };

    [[nodiscard]] std::uint64_t tick_of(time_point when) const noexcept
    {
        auto const since = when.time_since_epoch().count();
        return since <= 0 ? 0 : static_cast<std::uint64_t>(since) >> tick_bits_;
    }
    [[nodiscard]] deadline_node* take_due(time_point now) noexcept;
    [[nodiscard]] bool advance(std::uint64_t target) noexcept;
    [[nodiscard]] unsigned lowest_level() const noexcept;
    void place(deadline_node& node) noexcept
    {
        auto const tick = tick_of(node.deadline_);
        if (tick <= elapsed_) {
            put_in_heap(node);
            return;
        }
        auto const level = (static_cast<unsigned>(std::bit_width(tick ^ elapsed_)) - 1) / group_bits;
        auto const number = static_cast<unsigned>(tick >> (level * group_bits)) % slots;
        auto const where = level * slots + number;
        put_in(slots_[where].first, node, static_cast<std::uint16_t>(where));
        slots_[where].earliest = std::min(slots_[where].earliest, node.deadline_);
        occupied_[level] |= std::uint64_t{1} << number;
    }
    static void put_in(deadline_node*& first, deadline_node& node, std::uint16_t where) noexcept
    {
        node.place_ = where;
        node.previous_ = nullptr;
        node.next_ = first;
        if (first != nullptr)
            first->previous_ = &node;
        first = &node;
    }
    void put_in_heap(deadline_node& node) noexcept;
    void take_from_heap(deadline_node& node) noexcept;
    [[nodiscard]] static deadline_node* meld(deadline_node& a, deadline_node& b) noexcept;
    [[nodiscard]] static deadline_node* meld_all(deadline_node* first) noexcept;
    void end_turn() noexcept;

    int tick_bits_;
    std::size_t size_ = 0;
    std::uint64_t order_ = 0;
    std::uint64_t elapsed_ = 0; // ticks: nodes in slots are of later ones
    deadline_node* heap_ = nullptr;
    deadline_node* arrivals_ = nullptr; // inserted by a callback and due at once
    time_point arrivals_earliest_ = never;
    time_point turn_time_{};
    bool expiring_ = false;
    std::array<std::uint64_t, levels> occupied_{}; // a bit for each slot
    std::array<slot, std::size_t{levels} * slots> slots_{};
};

} // namespace madrigal::engine
