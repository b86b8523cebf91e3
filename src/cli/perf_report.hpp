// What `madrigal perf` prints: counters, as perfquery does or as JSON.
#pragma once

#include <madrigal/fabric/performance_client.hpp>
#include <madrigal/runtime/destination.hpp>
#include <madrigal/wire/registry.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace madrigal::cli {

/// Counters as they were read.
struct perf_reading {
    destination from{lid{}};
    performance_capabilities can;
    unsigned port = 0; ///< 255: all of them
    attribute_descriptor const* table = nullptr;
    std::array<std::byte, 192> data{}; ///< the attribute
    bool read = false;                 ///< `data` is there
    bool reset = false;                ///< what was asked to be written has been
    bool emulated = false;             ///< asked port by port
    error not_reset{};                 ///< why it has not, or nobody knows
};

/// Counters that the agent does not have are left out.
[[nodiscard]] std::string perf_text(perf_reading const& what);
/// The same as an object on a line.
[[nodiscard]] std::string perf_json(perf_reading const& what);

} // namespace madrigal::cli
