// Keeping deadlines, among few and among many.
#include <madrigal/engine/deadline_wheel.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;

/// A wheel with deadlines standing in it, 1 µs apart.
class standing {
public:
    explicit standing(std::int64_t count)
        : count_{static_cast<std::size_t>(count)}, nodes_{std::make_unique<deadline_node[]>(count_)}
    {
        for (std::size_t i = 0; i != count_; ++i)
            wheel.insert(nodes_[i], at(i));
    }
    [[nodiscard]] static time_point at(std::size_t place) noexcept
    {
        return time_point{} + 1s + std::chrono::microseconds{place};
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] deadline_node& operator[](std::size_t place) noexcept { return nodes_[place]; }

    deadline_wheel wheel;

private:
    std::size_t count_;
    std::unique_ptr<deadline_node[]> nodes_; // NOLINT(modernize-avoid-c-arrays): nodes do not move
};

/// What an answered request does: its deadline goes, that of the next request comes.
void insert_and_erase(benchmark::State& state)
{
    standing deadlines{state.range(0)};
    std::size_t place = 0;
    auto later = deadlines.count();
    for (auto _ : state) {
        auto& node = deadlines[place];
        deadlines.wheel.erase(node);
        deadlines.wheel.insert(node, standing::at(later++));
        place = place + 1 == deadlines.count() ? 0 : place + 1;
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(insert_and_erase)->Name("engine/deadline_wheel/insert_erase")->Arg(64)->Arg(100'000);

/// Deadlines that pass one by one; each node gets a new one behind all others.
void expire_one_by_one(benchmark::State& state)
{
    standing deadlines{state.range(0)};
    std::size_t passed = 0;
    std::size_t expired = 0;
    for (auto _ : state) {
        expired += deadlines.wheel.expire(standing::at(passed),
            [&](deadline_node& node) { deadlines.wheel.insert(node, standing::at(passed + deadlines.count())); });
        ++passed;
    }
    if (expired != passed)
        state.SkipWithError("a deadline did not expire at its time");
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(expire_one_by_one)->Name("engine/deadline_wheel/expire")->Arg(64)->Arg(100'000);

/// All at once, as when a fabric falls silent.
void expire_all(benchmark::State& state)
{
    standing deadlines{state.range(0)};
    std::size_t round = 1;
    for (auto _ : state) {
        auto const end = standing::at(round * deadlines.count());
        auto const count = deadlines.wheel.expire(end, [](deadline_node&) {});
        if (count != deadlines.count())
            state.SkipWithError("not all deadlines have expired");
        state.PauseTiming();
        for (std::size_t i = 0; i != deadlines.count(); ++i)
            deadlines.wheel.insert(deadlines[i], standing::at(round * deadlines.count() + 1 + i));
        ++round;
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(expire_all)->Name("engine/deadline_wheel/expire_all")->Arg(50'000)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace madrigal::engine
