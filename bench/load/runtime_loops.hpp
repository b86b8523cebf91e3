// The work done by the runtime.
#pragma once

#include "meter.hpp"
#include "venue.hpp"

#include <madrigal/error.hpp>

#include <cstdint>

namespace madrigal::bench {

/// How the runtime's clients are written.
enum class client_style : std::uint8_t { coroutines, handlers };

/// As many clients as the window has places, each asking again and again on the loop; with `producers`, so many threads
/// that share the window and submit from outside it, always with handlers.
[[nodiscard]] result<measured> runtime_closed_loop(venue const& on, load_options const& options, client_style style);

/// Sends that want no answer: one `async_send` after the other is awaited by a coroutine, or `sender::try_send` is
/// called on the loop; with `producers`, so many threads call it, and what is measured ends when the loop has written
/// the last.
[[nodiscard]] result<measured> runtime_send_loop(venue const& on, load_options const& options, client_style style);

/// Requests at a rate: a coroutine is spawned for each, or each has a handler.
[[nodiscard]] result<measured> runtime_open_loop(venue const& on, load_options const& options, client_style style);

} // namespace madrigal::bench
