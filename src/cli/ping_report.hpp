// Pings and what they came to, as text and as JSON: one line for each, one or two for the whole.
#pragma once

#include <madrigal/fabric/ping.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace madrigal::cli {

/// Who was pinged, and how long it had.
struct ping_subject {
    destination to;
    std::chrono::milliseconds timeout;
};

[[nodiscard]] std::string ping_text(ping_subject const& of, ping_outcome const& what);
/// An object with `sequence` and either `lid` (and `gid` where the answer came with one), `name` and `round_trip_ns`,
/// or `lost` (`timeout`, `not_served`, `refused` or `malformed`) and `error`, a sentence.
[[nodiscard]] std::string ping_json(ping_subject const& of, ping_outcome const& what);

/// Counts and round trips of a series.
[[nodiscard]] std::string ping_summary_text(ping_subject const& of, ping_statistics const& all);
/// An object with `destination`, `sent`, `received`, `loss_percent` and `round_trip_ns`, an object with `minimum`,
/// `average` and `maximum`, null where nothing was received.
[[nodiscard]] std::string ping_summary_json(ping_subject const& of, ping_statistics const& all);

/// What a server did.
[[nodiscard]] std::string serve_summary(std::uint64_t answered, bool json);

} // namespace madrigal::cli
