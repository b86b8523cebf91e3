// What can be set, and the file that says so.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/wire/types.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sm {

/// How LIDs are routed: by the fewest hops, or by up and down, which leaves no credit loops.
enum class routing { min_hop, up_down };

/// One subnet: the port by which it is managed, and how.
struct settings {
    std::string ca;               ///< empty: the default port of the host
    std::optional<unsigned> port; ///< the first that can be used where it is not set; 0: a switch's own
    std::uint8_t priority = 0;
    std::uint64_t sm_key = 1;
    std::uint64_t m_key = 0; ///< set on every port, and asked with; 0 for none
    std::uint64_t subnet_prefix = madrigal::default_subnet_prefix;
    unsigned lmc = 0; ///< CAs and routers get 2 to this power LIDs
    sm::routing routing = routing::min_hop;
    std::vector<madrigal::guid> roots; ///< of up and down; found by the distance from the CAs where empty
    unsigned smps_on_wire = 64;
    bool adaptive = true; ///< as many on the wire as the fabric bears instead, from 32 up to four times as many
    std::chrono::milliseconds timeout{200};
    unsigned retries = 3;
    std::chrono::milliseconds sweep_interval{10'000}; ///< between light sweeps
    std::chrono::milliseconds poll_interval{1'000};   ///< of the master by a standby
    unsigned poll_failures = 3;
    unsigned sa_at_once = 256;       ///< questions to subnet administration in work at a time
    std::filesystem::path lids_file; ///< keeps LIDs across restarts; empty: they are not kept
};

/// Reads a file of one JSON object, or of an array of them: one for each subnet. Errors name the file and the member.
[[nodiscard]] madrigal::result<std::vector<settings>> read_settings(std::filesystem::path const& file);

} // namespace sm
