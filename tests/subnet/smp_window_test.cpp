// The adaptive window of SMPs: small where they are lost, large where they are not.
#include "subnet/swept.hpp"

#include <madrigal/subnet/smp_work.hpp>

#include <chrono>

namespace madrigal::tests {
namespace {

using namespace std::chrono_literals;

struct outcome {
    std::uint64_t lost = 0;
    std::uint64_t done = 0;
    std::uint64_t window = 0; ///< at the end
    bool complete = false;
};

/// A work list for one switch that everything has to pass, whose agent is slow and takes only so much at a time.
outcome run(smp_options how, sim::fault_options faults)
{
    how.per_destination = 0;
    world around{topology::generate(topology::fat_tree{.leaves = 4, .hosts_per_leaf = 8, .spines = 2}).value()};
    auto const in = swept(around);
    auto const client = smp_client::open(around.local(), how).value();
    around.on().set_faults(faults);
    smp_work work;
    for (auto const node : in.switches)
        (void)work.add(in.route(node), guid{}, [left = 2000U]() mutable -> std::optional<smp_order> {
            return left-- == 0 ? std::nullopt : std::optional{smp_order::get<node_info>()};
        });
    smp_work_options list;
    list.at_once = 2000;
    list.per_node = 0;
    list.timeouts_per_node = 0;
    list.how.timeout = 50ms;
    list.how.retries = 8;
    auto const before = around.on().counters();
    auto const report = around.run(work.run(client, list)).value();
    auto const after = around.on().counters();
    return {after.drops(sim::drop_reason::queue_full) - before.drops(sim::drop_reason::queue_full), report.done,
        client.over().gauges().window, report.complete()};
}

TEST(AdaptiveWindow, LosesFewerSmpsThanALargeFixedOne)
{
    sim::fault_options slow;
    slow.hop_latency = 1us;
    slow.service_time = 100us;
    slow.queue_limit = 16;
    smp_options how;
    how.outstanding = 512;
    auto const fixed = run(how, slow);
    how.adaptive = true;
    auto const adaptive = run(how, slow);
    EXPECT_GT(fixed.lost, 1000u) << "there is something to lose";
    EXPECT_LT(adaptive.lost, fixed.lost);
    EXPECT_TRUE(adaptive.complete);
    EXPECT_LT(adaptive.window, 512u);
}

TEST(AdaptiveWindow, GrowsBeyondItsStartWhereNothingIsLost)
{
    sim::fault_options fast;
    fast.hop_latency = 10us;
    smp_options how;
    how.outstanding = 16;
    how.adaptive = true;
    auto const grown = run(how, fast);
    EXPECT_TRUE(grown.complete);
    EXPECT_EQ(grown.lost, 0u);
    EXPECT_GT(grown.window, 16u);
    EXPECT_LE(grown.window, 64u) << "four times its start at most";
    how.adaptive = false;
    EXPECT_EQ(run(how, fast).window, 16u);
}

} // namespace
} // namespace madrigal::tests
