// The life of a request without I/O: started, prepared, written, answered, finished.
#include <madrigal/engine/packet.hpp>
#include <madrigal/engine/request_machine.hpp>
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/smp.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;

/// As large as what the runtime keeps for a waiting caller.
struct continuation {
    std::array<std::byte, 72> bytes{};
    bool there = false;
    explicit operator bool() const noexcept { return there; }
};

class conversation {
public:
    using machine = request_machine<continuation>;

    explicit conversation(unsigned outstanding)
        : pool_{outstanding + 64},
          requests_{outstanding + 64},
          machine_{{.window = {.size = outstanding}}},
          ids_(outstanding)
    {
        build_directed_route_smp(answer_, method::get_response, 0, node_info::layout.id, 0, 0, directed_route{0, 1});
        for (auto& id : ids_)
            id = begin();
    }

    /// The oldest request is answered and a new one begun; false where that went wrong.
    [[nodiscard]] bool turn()
    {
        auto& id = ids_[place_];
        now_ += 1us;
        mutable_mad_view{answer_}.set_transaction_id(id);
        auto const [what, entry] = machine_.on_answer(mad_view{answer_}, now_);
        if (what != machine::verdict::complete)
            return false;
        auto ended = machine_.finish(*entry);
        benchmark::DoNotOptimize(ended->operation());
        ended.reset();
        id = begin();
        place_ = place_ + 1 == ids_.size() ? 0 : place_ + 1;
        return id != 0;
    }

private:
    /// The new request's id; 0 where it could not be begun.
    std::uint32_t begin()
    {
        auto made = requests_.acquire();
        auto packet = pool_.acquire();
        auto const mad = packet->prepare(packet::capacity).subspan<umad::header_size, mad_size>();
        build_directed_route_smp(mad, method::get, 0, node_info::layout.id, 0, 0, directed_route{0, 1});
        made->set_packet(std::move(packet));
        made->set_terms(1, {policy_, time_point{}});
        auto const [how, entry] = machine_.start(made);
        if (how != machine::admission::write || !machine_.prepare(*entry, now_))
            return 0;
        (void)machine_.written(*entry, now_);
        return entry->id();
    }

    packet_pool pool_;
    machine::request_pool requests_;
    machine machine_;
    retry_policy policy_{};
    std::vector<std::uint32_t> ids_;
    std::size_t place_ = 0;
    time_point now_ = time_point{} + 1h;
    std::array<std::byte, mad_size> answer_{};
};

void request_cycle(benchmark::State& state)
{
    conversation talk{static_cast<unsigned>(state.range(0))};
    for (auto _ : state)
        if (!talk.turn())
            state.SkipWithError("an answer did not find its request");
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(request_cycle)->Name("engine/request_machine/cycle")->Arg(64)->Arg(100'000);

} // namespace
} // namespace madrigal::engine
