// How fast a simulated fabric is swept in this process.
#pragma once

#include <madrigal/error.hpp>

#include <cstddef>

namespace madrigal::bench {

struct sweep_cost {
    std::size_t nodes = 0;
    double smps_per_second = 0;
};

/// Sweeps a fat tree of 36 leaves with 18 hosts each, and 18 spines, once.
[[nodiscard]] result<sweep_cost> sweep_fat_tree();

} // namespace madrigal::bench
