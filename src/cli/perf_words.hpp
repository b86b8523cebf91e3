// What `madrigal perf` reads and writes, from the words of the command line.
#pragma once

#include <madrigal/fabric/reach.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace madrigal::cli {

/// The attribute that holds the counters.
enum class perf_attribute : std::uint8_t { counters, extended, xmit_data_sl, rcv_data_sl, xmit_discards, rcv_errors };

/// The words.
struct perf_words {
    std::optional<std::string> to;
    bool guid = false;      ///< `to` is a GUID
    bool extended = false;  ///< -x
    bool xmit_sl = false;   ///< -X
    bool rcv_sl = false;    ///< -S
    bool discards = false;  ///< -D
    bool errors = false;    ///< -E
    bool all_ports = false; ///< -a
    bool loop_ports = false;
    bool reset_after_read = false;
    bool reset_only = false;
    std::optional<std::uint8_t> port;
    std::optional<std::uint32_t> reset_mask;
};

/// Which ports are meant.
enum class perf_ports : std::uint8_t {
    fitting,  ///< the one that has the LID; all of a switch together
    one,      ///< `perf_question::port`
    together, ///< all as a sum
    each,     ///< all, one after the other
};

/// Their meaning.
struct perf_question {
    std::optional<address> to; ///< the port itself where not set
    perf_attribute attribute = perf_attribute::counters;
    perf_ports ports = perf_ports::fitting;
    std::uint8_t port = 0;
    bool read = true;
    bool reset = false;
    std::optional<std::uint32_t> reset_mask; ///< every counter where not set
};

/// Throws CLI::ValidationError, which is wrong usage, for words without a meaning.
[[nodiscard]] perf_question understand(perf_words const& words);

} // namespace madrigal::cli
