// What the ticket of a `reply_stream` says before it is that of a transfer.
#pragma once

#include <cstdint>

namespace madrigal::detail {

/// It was aborted before its reply has begun to be sent, which then never begins.
inline constexpr std::uint64_t aborted_early = ~std::uint64_t{0};

} // namespace madrigal::detail
