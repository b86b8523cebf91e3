#include <load/latency_histogram.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace madrigal::bench {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST(LatencyHistogram, IsAllZeroWithoutLatencies)
{
    latency_histogram const empty;
    EXPECT_EQ(empty.count(), 0u);
    EXPECT_EQ(empty.lowest(), 0ns);
    EXPECT_EQ(empty.highest(), 0ns);
    EXPECT_EQ(empty.percentile(0.5), 0ns);
}

TEST(LatencyHistogram, GivesBackOneLatencyExactlyAtEveryPercentile)
{
    for (auto const only : {0ns, 1ns, 127ns, 128ns, 129ns, 123'456ns, nanoseconds{1h}}) {
        latency_histogram one;
        one.record(only);
        for (double const share : {0.0, 0.5, 0.999, 1.0})
            EXPECT_EQ(one.percentile(share), only) << share;
        EXPECT_EQ(one.lowest(), only);
        EXPECT_EQ(one.highest(), only);
    }
}

TEST(LatencyHistogram, IsExactBelow128Nanoseconds)
{
    latency_histogram all;
    for (int i = 0; i != 128; ++i)
        all.record(nanoseconds{i});
    for (int i = 0; i != 128; ++i)
        EXPECT_EQ(all.percentile((i + 1) / 128.0), nanoseconds{i}) << i;
}

TEST(LatencyHistogram, TakesTheUpperEndOfABucketNeverAboveTheHighest)
{
    latency_histogram two;
    two.record(1'024ns); // buckets of 16 here: 1024 to 1039
    two.record(1'041ns);
    EXPECT_EQ(two.percentile(0.5), 1'039ns);
    EXPECT_EQ(two.percentile(1), 1'041ns);
}

TEST(LatencyHistogram, CountsNegativeLatenciesAsZero)
{
    latency_histogram one;
    one.record(-5ns);
    EXPECT_EQ(one.count(), 1u);
    EXPECT_EQ(one.highest(), 0ns);
}

TEST(LatencyHistogram, HasAPlaceForTheLongestTimeThereIs)
{
    latency_histogram one;
    one.record(nanoseconds::max());
    one.record(nanoseconds::max());
    EXPECT_EQ(one.percentile(0.5), nanoseconds::max());
}

TEST(LatencyHistogram, AgreesWithASortedListToOnePartIn64)
{
    std::mt19937_64 random{20'231};
    latency_histogram counted;
    std::vector<std::int64_t> listed;
    for (int i = 0; i != 100'000; ++i) {
        // All magnitudes alike, up to some minutes.
        auto const value = static_cast<std::int64_t>(random() >> (27 + random() % 37));
        listed.push_back(value);
        counted.record(nanoseconds{value});
    }
    std::sort(listed.begin(), listed.end());
    for (double const share : {0.001, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
        auto const exact = listed[static_cast<std::size_t>(std::ceil(share * 100'000)) - 1];
        auto const told = counted.percentile(share).count();
        EXPECT_GE(told, exact) << share;
        EXPECT_LE(told, exact + exact / 64) << share;
    }
    EXPECT_EQ(counted.lowest().count(), listed.front());
    EXPECT_EQ(counted.highest().count(), listed.back());
    EXPECT_EQ(counted.count(), 100'000u);
}

TEST(LatencyHistogram, MergesIntoWhatOneWouldHaveCounted)
{
    latency_histogram both;
    latency_histogram first;
    latency_histogram second;
    for (int i = 0; i != 1'000; ++i) {
        both.record(nanoseconds{i * 37});
        (i % 3 == 0 ? first : second).record(nanoseconds{i * 37});
    }
    first.merge(second);
    first.merge({});
    EXPECT_EQ(first.count(), both.count());
    EXPECT_EQ(first.lowest(), both.lowest());
    EXPECT_EQ(first.highest(), both.highest());
    for (double share = 0; share <= 1; share += 0.01)
        EXPECT_EQ(first.percentile(share), both.percentile(share)) << share;
}

} // namespace
} // namespace madrigal::bench
