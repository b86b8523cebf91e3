// The send queue beside other queues, on the same work: what an item costs, and what being woken for it costs on top.
#include "queue_contenders.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace madrigal::bench {
namespace {

/// Batches put, taken out and looked at by one thread: the cost without any rivalry.
template <class Queue, bool Wakes>
void one_thread(benchmark::State& state)
{
    Queue queue;
    typename Queue::producer producer{queue};
    std::vector<queued_item> items(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        bool wake = !Wakes;
        for (auto& item : items)
            if constexpr (Wakes)
                wake |= producer.push(item);
            else
                producer.put(item);
        auto const count = queue.take_all([](queued_item& item) { benchmark::DoNotOptimize(item); });
        bool armed = true;
        if constexpr (Wakes)
            armed = queue.arm();
        if (!wake || count != items.size() || !armed)
            state.SkipWithError("the queue has lost something");
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// Takes out what producers put, on a thread of its own, and gives each item back.
template <class Queue, bool Wakes>
class consumer {
public:
    consumer() : thread_{[this] { run(); }} {}
    consumer(consumer const&) = delete;
    consumer& operator=(consumer const&) = delete;
    ~consumer()
    {
        stop_.store(true, std::memory_order_relaxed);
        if constexpr (Wakes)
            wake();
        thread_.join();
        ::close(bell_);
    }

    [[nodiscard]] Queue& queue() noexcept { return queue_; }
    /// As a loop is woken: through a descriptor.
    void wake() const noexcept
    {
        std::uint64_t const one = 1;
        (void)!::write(bell_, &one, sizeof one);
    }
    [[nodiscard]] std::uint64_t sleeps() const noexcept { return sleeps_.load(std::memory_order_relaxed); }

private:
    void run()
    {
        auto const give_back = [](queued_item& item) { item.out.store(false, std::memory_order_release); };
        while (!stop_.load(std::memory_order_relaxed)) {
            if constexpr (Wakes) {
                do
                    queue_.take_all(give_back);
                while (!queue_.arm());
                std::uint64_t rung = 0;
                sleeps_.fetch_add(1, std::memory_order_relaxed);
                (void)!::read(bell_, &rung, sizeof rung);
            } else if (queue_.take_all(give_back) == 0) {
                std::this_thread::yield();
            }
        }
    }

    Queue queue_;
    int bell_ = ::eventfd(0, EFD_CLOEXEC);
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> sleeps_{0};
    std::thread thread_;
};

/// Several threads put as fast as the consumer hands their items back.
template <class Queue, bool Wakes>
void producers(benchmark::State& state)
{
    static std::unique_ptr<consumer<Queue, Wakes>> taker;
    static std::atomic<int> busy;
    if (state.thread_index() == 0) {
        taker = std::make_unique<consumer<Queue, Wakes>>();
        busy = state.threads();
    }
    std::vector<queued_item> items(1'024);
    std::unique_ptr<typename Queue::producer> own;
    std::size_t next = 0;
    for (auto _ : state) {
        if (own == nullptr) // not before: all threads begin the loop together
            own = std::make_unique<typename Queue::producer>(taker->queue());
        auto& item = items[next];
        while (item.out.load(std::memory_order_acquire))
            std::this_thread::yield();
        item.out.store(true, std::memory_order_relaxed);
        if constexpr (Wakes) {
            if (own->push(item))
                taker->wake();
        } else {
            own->put(item);
        }
        next = next + 1 == items.size() ? 0 : next + 1;
    }
    // The consumer has them still, for a moment.
    for (auto& item : items)
        while (item.out.load(std::memory_order_acquire))
            std::this_thread::yield();
    own.reset();
    state.SetItemsProcessed(state.iterations());
    --busy;
    if (state.thread_index() != 0)
        return;
    while (busy != 0)
        std::this_thread::yield();
    if (Wakes)
        state.counters["sleeps"] = benchmark::Counter(
            static_cast<double>(taker->sleeps()) / static_cast<double>(state.iterations() * state.threads()));
    taker.reset(); // one that never sleeps would take the others' time
}

template <class Polled, class Woken>
bool enter_contest()
{
    auto const prefix = std::string{"engine/queues/"} + Polled::name;
    benchmark::RegisterBenchmark((prefix + "/alone/polled").c_str(), one_thread<Polled, false>)->Arg(1)->Arg(64);
    benchmark::RegisterBenchmark((prefix + "/alone/woken").c_str(), one_thread<Woken, true>)->Arg(1)->Arg(64);
    for (int const count : {1, 2, 4}) {
        benchmark::RegisterBenchmark((prefix + "/polled").c_str(), producers<Polled, false>)
            ->Threads(count)
            ->UseRealTime();
        benchmark::RegisterBenchmark((prefix + "/woken").c_str(), producers<Woken, true>)
            ->Threads(count)
            ->UseRealTime();
    }
    return true;
}

[[maybe_unused]] bool const contest = [] {
    enter_contest<own_queue, own_queue>();
    enter_contest<linked_queue, with_wake_up<linked_queue>>();
    enter_contest<boost_queue<true>, with_wake_up<boost_queue<true>>>();
    enter_contest<boost_queue<false>, with_wake_up<boost_queue<false>>>();
#if MADRIGAL_HAS_CONCURRENTQUEUE
    enter_contest<moodycamel_queue, with_wake_up<moodycamel_queue>>();
#endif
    return true;
}();

} // namespace
} // namespace madrigal::bench
