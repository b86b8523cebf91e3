// Places in the window.
#include <madrigal/engine/flow_window.hpp>

#include <benchmark/benchmark.h>

#include <array>

namespace madrigal::engine {
namespace {

/// A place given back after an answer, and taken again; one in 64 answers is late.
void answer_and_take(benchmark::State& state)
{
    constexpr unsigned size = 64;
    flow_window window{{.size = size, .adaptive = state.range(0) != 0, .maximum = size}};
    std::array<flow_window::round, size> taken{};
    for (auto& round : taken)
        round = window.try_take();
    unsigned answers = 0;
    for (auto _ : state) {
        auto& round = taken[answers % size];
        if (round != flow_window::no_round) {
            window.on_answer(round, answers % size == 0 ? 1 : 0);
            window.give_back(flow_window::no_round);
        }
        round = window.try_take();
        benchmark::DoNotOptimize(round);
        ++answers;
    }
    if (window.in_use() == 0)
        state.SkipWithError("the window is empty");
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(answer_and_take)->Name("engine/flow_window/answer_and_take")->ArgName("adaptive")->Arg(0)->Arg(1);

} // namespace
} // namespace madrigal::engine
