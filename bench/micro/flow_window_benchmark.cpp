// Places in the window.
#include <madrigal/engine/flow_window.hpp>

#include <benchmark/benchmark.h>

namespace madrigal::engine {
namespace {

/// A place given back after an answer in time, and taken again; every 64th answer is late.
void answer_and_take(benchmark::State& state)
{
    flow_window window{{.size = 64, .adaptive = state.range(0) != 0}};
    while (window.try_take()) {
    }
    unsigned answers = 0;
    for (auto _ : state) {
        window.on_answer(++answers % 64 == 0);
        window.give_back();
        bool taken = false;
        while (window.try_take())
            taken = true;
        benchmark::DoNotOptimize(taken);
        if (window.in_use() == 0) // a window that shrank takes no new ones for a while
            state.SkipWithError("the window is empty");
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(answer_and_take)->Name("engine/flow_window/answer_and_take")->ArgName("adaptive")->Arg(0)->Arg(1);

} // namespace
} // namespace madrigal::engine
