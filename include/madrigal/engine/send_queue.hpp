// The one queue that crosses threads: many producers, one loop.
#pragma once

#include <atomic>
#include <cassert>

namespace madrigal::engine {

/// What can stand in a `send_queue`: derive from it. Alive, and left alone, from `push` until it comes out.
struct send_queue_node {
    send_queue_node* next = nullptr;
};

/// An intrusive lock-free queue from any thread to one consumer, the loop. It never allocates.
///
/// A producer wakes the loop only when the loop would otherwise not look:
///
///                      arm() -> true
///         ┌─────────────────────────────────────┐
///         │                                     ▼
///     looking ── push() -> false ──> filled   armed      (armed at the start)
///       ▲  ▲                          │  ▲      │ │
///       │  └────────── pop_all() ─────┘  │      │ │
///       │                                └──────│─┘ push() -> true: that producer must wake the loop
///       └───────────────── pop_all() ───────────┘
///
/// (filled: push() -> false and arm() -> false change nothing but the list.)
///
/// - *armed*: the queue is empty and the consumer sleeps, or is about to. The next push returns true, and whoever made
///   it must wake the consumer (post to the loop, write to an eventfd).
/// - *looking*: empty, but the consumer has promised to call `pop_all` or `arm` again before it sleeps.
/// - *filled*: something waits, and the consumer is looking or has been sent for.
///
/// So the consumer's turn, started by a wake-up or by anything else, is: `do work on pop_all() while (!arm());`. It may
/// also leave the queue unarmed while it is sure to come back by itself (a posted continuation, say). Each producer's
/// nodes come out in the order of its pushes; between producers the order is that of the pushes' atomic exchanges.
///
/// Why this one: the exchange that pushes also tells whether to wake. Beside any other queue a flag would have to say
/// that the consumer sleeps, and each push would pay a full barrier more to look at it; queues that do not link the
/// items themselves also pay for a place to put them (bench/README.md, "The send queue").
///
/// `Atomic` is std::atomic, or in a model check one that shows every interleaving of the operations.
template <template <class> class Atomic>
class basic_send_queue {
public:
    basic_send_queue() noexcept = default;
    basic_send_queue(basic_send_queue const&) = delete;
    basic_send_queue& operator=(basic_send_queue const&) = delete;
    /// What still stands in the queue is left alone: the consumer drains it before.
    ~basic_send_queue() = default;

    /// Any thread. True if the consumer must be woken. The node belongs to the consumer at once, and may be gone before
    /// this returns.
    [[nodiscard]] bool push(send_queue_node& node) noexcept
    {
        auto* top = head_.load(std::memory_order_relaxed);
        do {
            node.next = top == armed_mark() ? nullptr : top;
            // Release: the consumer's acquire in pop_all sees the node as it was pushed. Acquire: with the release in
            // arm, so that the one who must wake the consumer sees what it wrote before it armed.
        } while (!head_.compare_exchange_weak(top, &node, std::memory_order_acq_rel, std::memory_order_relaxed));
        return top == armed_mark();
    }

    /// Consumer only. All that waits, linked by `next` in the order of the pushes; nullptr when there is none. The
    /// queue is then in state looking.
    [[nodiscard]] send_queue_node* pop_all() noexcept
    {
        if (head_.load(std::memory_order_relaxed) == nullptr)
            return nullptr;
        // Acquire: partner of the release in push, for every node of the list (pushes are exchanges, so each later one
        // continues the release sequence of the earlier).
        auto* top = head_.exchange(nullptr, std::memory_order_acquire);
        if (top == armed_mark())
            return nullptr;
        send_queue_node* first = nullptr;
        while (top != nullptr) {
            auto* below = top->next;
            top->next = first;
            first = top;
            top = below;
        }
        return first;
    }

    /// Consumer only. True: the queue is empty and armed, the consumer may sleep. False: something waits, call
    /// `pop_all` again.
    [[nodiscard]] bool arm() noexcept
    {
        send_queue_node* expected = nullptr;
        // Release: partner of the acquire in push. On failure nothing is read; pop_all acquires.
        return head_.compare_exchange_strong(
                   expected, armed_mark(), std::memory_order_release, std::memory_order_relaxed) ||
               expected == armed_mark();
    }

    /// Any thread, for the consumer's fast path and for statistics: nothing waited a moment ago.
    [[nodiscard]] bool empty() const noexcept
    {
        auto* top = head_.load(std::memory_order_relaxed);
        return top == nullptr || top == armed_mark();
    }

private:
    /// An address that no pushed node can have.
    [[nodiscard]] send_queue_node* armed_mark() const noexcept { return &mark_; }

    mutable send_queue_node mark_;
    alignas(64) Atomic<send_queue_node*> head_ = &mark_;
};

/// The queue itself.
using send_queue = basic_send_queue<std::atomic>;

} // namespace madrigal::engine
