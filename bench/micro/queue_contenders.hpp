// Queues from many producers to one consumer, all behind one shape, so that they can be compared on the same work.
#pragma once

#include <madrigal/engine/send_queue.hpp>

#include <boost/lockfree/queue.hpp>
#if MADRIGAL_HAS_CONCURRENTQUEUE
#include <concurrentqueue/concurrentqueue.h>
#endif

#include <array>
#include <atomic>
#include <cstddef>

namespace madrigal::bench {

/// What goes through the queues: one that its producer may use again once the consumer has seen it.
struct queued_item : engine::send_queue_node {
    std::atomic<queued_item*> behind{nullptr}; ///< the link of the intrusive queue whose consumer follows it
    std::atomic<bool> out{false};
};

/// How many items stand in a queue at most, in all benchmarks.
inline constexpr std::size_t most_queued = 8'192;

/// What a contender offers:
///
///     producer of(queue);                  // one for each producing thread
///     bool producer.push(queued_item&);    // true: the consumer must be woken
///     std::size_t take_all(visit);         // consumer only: visits what waits
///     bool arm();                          // consumer only: true when it may sleep
///
/// `push` and `arm` are those of a queue whose consumer sleeps. One that never does calls `put` instead.

/// The runtime's own.
class own_queue {
public:
    static constexpr char const* name = "send_queue";

    struct producer {
        explicit producer(own_queue& to) noexcept : queue{to.queue_} {}
        bool push(queued_item& item) noexcept { return queue.push(item); }
        void put(queued_item& item) noexcept { (void)queue.push(item); }
        engine::send_queue& queue;
    };
    template <class Visit>
    std::size_t take_all(Visit const& visit)
    {
        std::size_t count = 0;
        for (auto* node = queue_.pop_all(); node != nullptr; ++count) {
            auto* next = node->next;
            visit(static_cast<queued_item&>(*node));
            node = next;
        }
        return count;
    }
    bool arm() noexcept { return queue_.arm(); }

private:
    engine::send_queue queue_;
};

/// A wake-up for queues that have none: the consumer says that it is going to sleep and looks once more, a producer
/// puts its item and looks whether the consumer said so. Both need their store to be seen before they look, which takes
/// a full barrier on either side.
template <class Queue>
class with_wake_up : public Queue {
public:
    struct producer : Queue::producer {
        explicit producer(with_wake_up& to) noexcept : Queue::producer{to}, asleep{to.asleep_} {}
        bool push(queued_item& item)
        {
            this->put(item);
            std::atomic_thread_fence(std::memory_order_seq_cst);
            return asleep.load(std::memory_order_relaxed) && asleep.exchange(false, std::memory_order_acq_rel);
        }
        std::atomic<bool>& asleep;
    };
    bool arm() noexcept
    {
        asleep_.store(true, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        // Who has taken the mark away in between wakes us, which does no harm.
        return this->nothing_waits() || !asleep_.exchange(false, std::memory_order_acq_rel);
    }

private:
    alignas(64) std::atomic<bool> asleep_{true};
};

/// An intrusive list whose producers exchange its end and then link what was the end before. The consumer follows the
/// links; where a producer has not linked yet, everything behind waits for it.
class linked_queue {
public:
    static constexpr char const* name = "linked";

    linked_queue() noexcept : last_{&stub_}, first_{&stub_} {}

    struct producer {
        explicit producer(linked_queue& to) noexcept : queue{to} {}
        void put(queued_item& item) noexcept { queue.append(item); }
        linked_queue& queue;
    };
    template <class Visit>
    std::size_t take_all(Visit const& visit)
    {
        std::size_t count = 0;
        for (; auto* item = take_one(); ++count)
            visit(*item);
        return count;
    }

protected:
    [[nodiscard]] bool nothing_waits() const noexcept
    {
        return first_ == &stub_ && last_.load(std::memory_order_acquire) == &stub_;
    }

private:
    void append(queued_item& item) noexcept
    {
        item.behind.store(nullptr, std::memory_order_relaxed);
        auto* before = last_.exchange(&item, std::memory_order_acq_rel);
        before->behind.store(&item, std::memory_order_release);
    }
    queued_item* take_one() noexcept
    {
        auto* first = first_;
        auto* next = first->behind.load(std::memory_order_acquire);
        if (first == &stub_) {
            if (next == nullptr)
                return nullptr;
            first_ = first = next;
            next = next->behind.load(std::memory_order_acquire);
        }
        if (next == nullptr) {
            if (first != last_.load(std::memory_order_acquire))
                return nullptr; // a producer is about to link
            append(stub_);
            next = first->behind.load(std::memory_order_acquire);
            if (next == nullptr)
                return nullptr;
        }
        first_ = next;
        return first;
    }

    queued_item stub_;
    alignas(64) std::atomic<queued_item*> last_;
    alignas(64) queued_item* first_;
};

/// boost::lockfree::queue, with room for `most_queued` or with a node for each item.
template <bool Fixed>
class boost_queue {
public:
    static constexpr char const* name = Fixed ? "boost_fixed" : "boost_nodes";

    struct producer {
        explicit producer(boost_queue& to) noexcept : queue{to.queue_} {}
        void put(queued_item& item)
        {
            while (!queue.push(&item)) {
            }
        }
        boost::lockfree::queue<queued_item*, boost::lockfree::fixed_sized<Fixed>>& queue;
    };
    template <class Visit>
    std::size_t take_all(Visit const& visit)
    {
        return queue_.consume_all([&](queued_item* item) { visit(*item); });
    }

protected:
    [[nodiscard]] bool nothing_waits() const { return queue_.empty(); }

private:
    boost::lockfree::queue<queued_item*, boost::lockfree::fixed_sized<Fixed>> queue_{most_queued};
};

#if MADRIGAL_HAS_CONCURRENTQUEUE
/// moodycamel::ConcurrentQueue, with a token for each side, taken from in bulk.
class moodycamel_queue {
public:
    static constexpr char const* name = "moodycamel";

    struct producer {
        explicit producer(moodycamel_queue& to) : queue{to.queue_}, token{to.queue_} {}
        void put(queued_item& item)
        {
            while (!queue.enqueue(token, &item)) {
            }
        }
        moodycamel::ConcurrentQueue<queued_item*>& queue;
        moodycamel::ProducerToken token;
    };
    template <class Visit>
    std::size_t take_all(Visit const& visit)
    {
        std::size_t count = 0;
        std::array<queued_item*, 64> some{};
        while (auto const got = queue_.try_dequeue_bulk(token_, some.begin(), some.size())) {
            for (std::size_t i = 0; i != got; ++i)
                visit(*some[i]);
            count += got;
        }
        return count;
    }

protected:
    [[nodiscard]] bool nothing_waits() const { return queue_.size_approx() == 0; }

private:
    moodycamel::ConcurrentQueue<queued_item*> queue_{most_queued};
    moodycamel::ConsumerToken token_{queue_};
};
#endif

} // namespace madrigal::bench
