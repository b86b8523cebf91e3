// A trap as a subnet manager wants it.
#pragma once

#include <madrigal/wire/attributes/notice.hpp>
#include <madrigal/wire/trap.hpp>
#include <madrigal/wire/types.hpp>

#include <cstdint>
#include <optional>

namespace madrigal {

/// A trap that has come, and has been repressed. LIDs and port numbers in it are what its sender wrote: they may name
/// nobody, or somebody who is gone.
struct trap_notice {
    notice told;
    /// The LID that it came from; of one that came along a directed route the LID that it names itself.
    lid source;
    /// What the details say; nothing for a vendor's notice or a trap without a table.
    std::optional<trap_details> details{};
    /// Traps lost since the one taken before this: held back and then displaced by others, or by one of their kind that
    /// says something else, or more than the queues hold. What was only said again is not among them. Where it is not
    /// 0, a sweep finds out what they were about.
    std::uint64_t missed = 0;
};

} // namespace madrigal
