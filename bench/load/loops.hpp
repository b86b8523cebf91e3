// The same closed loop three times: by system calls, by coroutines and by completion handlers.
#pragma once

#include "meter.hpp"

#include <madrigal/error.hpp>

#include <cstdint>

namespace madrigal::bench {

/// How the runtime's clients are written.
enum class client_style : std::uint8_t { coroutines, handlers };

/// The floor: non-blocking writes and reads with epoll, each wake-up drained until EAGAIN, an answer matched with its
/// request by one look into an array. Every answer is followed by the next request at once.
[[nodiscard]] result<measured> run_raw_loop(int descriptor, load_options const& options);

/// The same through the runtime: as many clients as the window has places, each asking for NodeInfo along a directed
/// route, again and again. A new event loop, port and agent each time; opening them is not measured.
[[nodiscard]] result<measured> run_runtime_loop(int descriptor, load_options const& options, client_style style);

} // namespace madrigal::bench
