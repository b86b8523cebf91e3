// From a transaction id to its slot.
#include <madrigal/engine/transaction_table.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

namespace madrigal::engine {
namespace {

/// The oldest of many ids is found and released, and a new one taken.
void find_release_acquire(benchmark::State& state)
{
    auto const count = static_cast<std::size_t>(state.range(0));
    transaction_table<std::uint64_t> table{transaction_table<std::uint64_t>::index_limit};
    std::vector<std::uint32_t> ids(count);
    for (auto& id : ids)
        *table.acquire(id) = 1;
    std::size_t place = 0;
    for (auto _ : state) {
        auto& id = ids[place];
        auto* slot = table.find(id);
        if (slot == nullptr)
            state.SkipWithError("an id has no slot");
        benchmark::DoNotOptimize(slot);
        table.release(id);
        slot = table.acquire(id);
        benchmark::DoNotOptimize(slot);
        place = place + 1 == count ? 0 : place + 1;
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(find_release_acquire)->Name("engine/transaction_table/find_release_acquire")->Arg(64)->Arg(100'000);

} // namespace
} // namespace madrigal::engine
