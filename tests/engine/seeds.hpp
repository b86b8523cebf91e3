// Random tests that can be repeated: each prints its seed, and MADRIGAL_SEED replaces all of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace madrigal::engine::testing {

/// The seeds that a random test runs with.
inline std::vector<std::uint64_t> seeds()
{
    if (char const* chosen = std::getenv("MADRIGAL_SEED"); chosen != nullptr) // NOLINT(concurrency-mt-unsafe)
        return {std::strtoull(chosen, nullptr, 0)};
    return {1, 2, 3, 5, 8, 0x0002c9030005f34a, 0xFFFFFFFFFFFFFFFF};
}

class seeded : public ::testing::TestWithParam<std::uint64_t> {
protected:
    std::mt19937_64 random{GetParam()};
    ::testing::ScopedTrace trace{__FILE__, __LINE__, "MADRIGAL_SEED=" + std::to_string(GetParam())};

    void SetUp() override { RecordProperty("seed", std::to_string(GetParam())); }

    /// A number from 0 to `below` - 1.
    std::uint64_t pick(std::uint64_t below)
    {
        return std::uniform_int_distribution<std::uint64_t>{0, below - 1}(random);
    }
};

} // namespace madrigal::engine::testing
