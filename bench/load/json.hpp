// Parts of the lines of JSON.
#pragma once

#include "machine.hpp"
#include "series.hpp"

#include <string>

namespace madrigal::bench {

/// Where the load was run.
struct place {
    int socket_buffer = 0;       ///< SO_SNDBUF; 0 on a port
    unsigned socket_packets = 0; ///< that one direction holds
    std::string host{};          ///< URI; empty over a socket
    std::string port{};          ///< `rxe0 port 1`
    std::string to{};            ///< what was written to: `GID fe80::…`
    unsigned retries = 0;        ///< by the kernel
};

/// The members that tell of one peer: rates (medians over the rounds), latencies (of all rounds together) and costs.
[[nodiscard]] std::string json_members(series const& of);
/// The machine, and whether the program is optimised.
[[nodiscard]] std::string json_members(machine const& where);
[[nodiscard]] std::string json_members(place const& on);
/// A text in quotation marks.
[[nodiscard]] std::string json_quoted(std::string const& text);
/// A peer's name as the name of a member.
[[nodiscard]] std::string json_key(std::string name);

} // namespace madrigal::bench
