// Handing work to the loop.
#include <madrigal/engine/send_queue.hpp>

#include <benchmark/benchmark.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace madrigal::engine {
namespace {

/// Batches pushed, taken out and walked by one thread: the cost without any rivalry.
void push_and_pop(benchmark::State& state)
{
    send_queue queue;
    std::vector<send_queue_node> nodes(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        bool wake = false;
        for (auto& node : nodes)
            wake |= queue.push(node);
        std::size_t count = 0;
        for (auto* node = queue.pop_all(); node != nullptr; node = node->next)
            ++count;
        if (!wake || count != nodes.size() || !queue.arm())
            state.SkipWithError("the queue has lost something");
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(push_and_pop)->Name("engine/send_queue/single_producer")->Arg(1)->Arg(64);

/// A node that its producer may use again once the consumer has seen it.
struct returned_node : send_queue_node {
    std::atomic<bool> out{false};
};

/// Takes out what producers push, on a thread of its own; sleeps only when it has armed the queue.
class consumer {
public:
    consumer() : thread_{[this] { run(); }} {}
    consumer(consumer const&) = delete;
    consumer& operator=(consumer const&) = delete;
    ~consumer()
    {
        stop_.store(true, std::memory_order_relaxed);
        wake();
        thread_.join();
    }

    void push(returned_node& node)
    {
        if (queue_.push(node))
            wake();
    }

private:
    void wake()
    {
        wakes_.fetch_add(1, std::memory_order_release);
        wakes_.notify_one();
    }
    void run()
    {
        while (!stop_.load(std::memory_order_relaxed)) {
            auto const seen = wakes_.load(std::memory_order_acquire);
            do {
                for (auto* node = queue_.pop_all(); node != nullptr;) {
                    auto* next = node->next;
                    static_cast<returned_node*>(node)->out.store(false, std::memory_order_release);
                    node = next;
                }
            } while (!queue_.arm());
            if (!stop_.load(std::memory_order_relaxed))
                wakes_.wait(seen, std::memory_order_acquire);
        }
    }

    send_queue queue_;
    std::atomic<std::uint32_t> wakes_{0};
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

/// Several threads push as fast as the consumer hands their nodes back.
void push_from_threads(benchmark::State& state)
{
    static std::unique_ptr<consumer> loop;
    if (state.thread_index() == 0)
        loop = std::make_unique<consumer>();
    std::vector<returned_node> nodes(1'024);
    std::size_t next = 0;
    for (auto _ : state) {
        auto& node = nodes[next];
        while (node.out.load(std::memory_order_acquire))
            std::this_thread::yield();
        node.out.store(true, std::memory_order_relaxed);
        loop->push(node);
        next = next + 1 == nodes.size() ? 0 : next + 1;
    }
    // The consumer has them still, for a moment.
    for (auto& node : nodes)
        while (node.out.load(std::memory_order_acquire))
            std::this_thread::yield();
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(push_from_threads)->Name("engine/send_queue/producers")->Threads(1)->Threads(2)->Threads(4)->UseRealTime();

} // namespace
} // namespace madrigal::engine
