// Sweeps of a fabric of 702 nodes under a window that adapts, beside one of 128.
#include "fabric/world.hpp"

#include <madrigal/topology/generators.hpp>

#include <fmt/format.h>

#include <chrono>

namespace madrigal::tests {
namespace {

using namespace std::chrono_literals;

struct outcome {
    duration took{};
    std::uint64_t window = 0; ///< at the end
    bool complete = false;
};

outcome sweep_under(bool adaptive, sim::fault_options const& faults, std::uint64_t seed)
{
    sim::fabric_options fabric;
    fabric.seed = seed;
    fabric.faults = faults;
    world around{
        topology::generate(topology::fat_tree{.leaves = 36, .hosts_per_leaf = 18, .spines = 18}).value(), fabric};
    smp_options how;
    how.outstanding = 128;
    how.adaptive = adaptive;
    how.retries = 3;
    auto const client = smp_client::open(around.local(), how).value();
    discover_options options;
    options.outstanding = 4 * how.outstanding;
    options.retries = how.retries;
    options.attempts = 2;
    options.time = &around.time();
    auto const begin = around.time().now();
    auto const found = around.run(discover(client, options)).value();
    return {around.time().now() - begin, client.over().gauges().window, found.complete()};
}

class SweepUnderAWindow : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SweepUnderAWindow, ThatAdaptsTakesNoLongerOnLinksThatLose)
{
    for (double const loss : {0.01, 0.05}) {
        sim::fault_options lossy;
        lossy.hop_latency = 20us;
        lossy.loss = loss;
        auto const fixed = sweep_under(false, lossy, GetParam());
        auto const adaptive = sweep_under(true, lossy, GetParam());
        EXPECT_LE(adaptive.took, fixed.took * 13 / 10) << loss;
        EXPECT_TRUE(adaptive.complete || loss > 0.01) << "three retries are enough for 1 % only";
        RecordProperty(fmt::format("fixed_ms_{}", loss), static_cast<int>(fixed.took / 1ms));
        RecordProperty(fmt::format("adaptive_ms_{}", loss), static_cast<int>(adaptive.took / 1ms));
    }
}

TEST_P(SweepUnderAWindow, ThatAdaptsDoesNotCollapseWhereMostIsLost)
{
    sim::fault_options bad;
    bad.hop_latency = 20us;
    bad.loss = 0.1; // on each of eight links there and back
    auto const fixed = sweep_under(false, bad, GetParam());
    auto const adaptive = sweep_under(true, bad, GetParam());
    EXPECT_LE(adaptive.took, fixed.took * 4) << "32 at a time are left to it";
    RecordProperty("fixed_ms", static_cast<int>(fixed.took / 1ms));
    RecordProperty("adaptive_ms", static_cast<int>(adaptive.took / 1ms));
}

TEST_P(SweepUnderAWindow, ThatAdaptsTakesLittleLongerWhereNothingIsLost)
{
    sim::fault_options fine;
    fine.hop_latency = 20us;
    auto const fixed = sweep_under(false, fine, GetParam());
    auto const adaptive = sweep_under(true, fine, GetParam());
    EXPECT_LE(adaptive.took, fixed.took * 13 / 10);
    EXPECT_GE(adaptive.window, 128U);
    EXPECT_TRUE(adaptive.complete);
    RecordProperty("fixed_us", static_cast<int>(fixed.took / 1us));
    RecordProperty("adaptive_us", static_cast<int>(adaptive.took / 1us));
}

INSTANTIATE_TEST_SUITE_P(Seeds, SweepUnderAWindow, ::testing::Values(1, 2, 3));

} // namespace
} // namespace madrigal::tests
