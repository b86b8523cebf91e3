// How a transfer ended, as an error code.
#pragma once

#include <madrigal/engine/rmpp.hpp>
#include <madrigal/error.hpp>

namespace madrigal::engine {

/// The category of transfers that one side has ended: ABORT, STOP, a broken protocol. The message names side and
/// status.
[[nodiscard]] boost::system::error_category const& rmpp_category() noexcept;

/// The error code of an outcome: none for one that is complete, errc::timeout where time or repetitions are used up,
/// errc::message_too_long where memory is, operation_canceled where the user has ended it, else one of `rmpp_category`.
[[nodiscard]] error_code make_rmpp_error(rmpp_outcome outcome) noexcept;

/// The outcome in an error code of that category; `not_yet` for any other error code.
[[nodiscard]] rmpp_outcome rmpp_outcome_of(error_code code) noexcept;

} // namespace madrigal::engine
