#include "instruction_counter.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace madrigal::bench {

instruction_counter::instruction_counter() noexcept
{
    perf_event_attr what{};
    what.size = sizeof what;
    what.type = PERF_TYPE_HARDWARE;
    what.config = PERF_COUNT_HW_INSTRUCTIONS;
    what.inherit = 1;
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    descriptor_ = static_cast<int>(::syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

instruction_counter::~instruction_counter()
{
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

std::optional<std::uint64_t> instruction_counter::read() const noexcept
{
    std::uint64_t count = 0;
    if (descriptor_ < 0 || ::read(descriptor_, &count, sizeof count) != sizeof count)
        return std::nullopt;
    return count;
}

} // namespace madrigal::bench
