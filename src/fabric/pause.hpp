// Waiting for a moment of a time source.
#pragma once

#include <madrigal/engine/time.hpp>

#include <boost/asio/awaitable.hpp>

namespace madrigal::detail {

/// Waits until `when`. False where it was cancelled before.
[[nodiscard]] boost::asio::awaitable<bool> pause_until(time_source& time, time_point when);

} // namespace madrigal::detail
