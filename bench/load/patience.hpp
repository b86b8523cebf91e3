// How long a peer waits for an answer.
#pragma once

#include "meter.hpp"

#include <chrono>

namespace madrigal::bench {

/// `timeout` for each transmission, of which there are `retries` + 1. Only the kernel of a port sends again. A timeout
/// of 0 asks for no answer.
struct patience {
    std::chrono::milliseconds timeout{1'000};
    unsigned retries = 0;

    /// When every transmission has had its time and the kernel's report has been slow.
    [[nodiscard]] std::chrono::milliseconds at_most() const noexcept { return timeout * (retries + 1) + timeout; }
};

[[nodiscard]] inline patience waiting(load_options const& options) noexcept
{
    return {options.timeout, options.retries};
}
/// For sends that want no answer.
[[nodiscard]] inline patience not_waiting() noexcept
{
    return {std::chrono::milliseconds{0}, 0};
}

} // namespace madrigal::bench
