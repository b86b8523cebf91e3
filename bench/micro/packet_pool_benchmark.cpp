// Taking packets and giving them back.
#include <madrigal/engine/packet.hpp>

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

namespace madrigal::engine {
namespace {

/// One packet at a time, on one thread or on several that share the pool.
void acquire_and_release(benchmark::State& state)
{
    static packet_pool pool{65'536};
    for (auto _ : state) {
        auto taken = pool.acquire();
        if (!taken)
            state.SkipWithError("the pool is empty");
        benchmark::DoNotOptimize(taken.get());
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(acquire_and_release)->Name("engine/packet_pool/one")->Threads(1)->Threads(2)->UseRealTime();

/// As many as a loop holds at a time, given back in the order they came.
void acquire_and_release_many(benchmark::State& state)
{
    auto const count = static_cast<std::size_t>(state.range(0));
    packet_pool pool{count};
    std::vector<packet_ptr> held(count);
    std::size_t next = 0;
    for (auto& packet : held)
        packet = pool.acquire();
    for (auto _ : state) {
        held[next].reset();
        held[next] = pool.acquire();
        if (!held[next])
            state.SkipWithError("the pool is empty");
        next = next + 1 == count ? 0 : next + 1;
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(acquire_and_release_many)->Name("engine/packet_pool/held")->Arg(64)->Arg(100'000);

} // namespace
} // namespace madrigal::engine
