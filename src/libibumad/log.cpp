#include "libibumad/log.hpp"

#include <atomic>
#include <iterator>
#include <unistd.h>

namespace madrigal::libibumad {
namespace {

std::atomic<int> level_in_force{0};

} // namespace

int debug_level() noexcept
{
    return level_in_force.load(std::memory_order_relaxed);
}

void set_debug_level(int level) noexcept
{
    level_in_force.store(level, std::memory_order_relaxed);
}

void say(std::string_view text)
{
    fmt::memory_buffer line;
    fmt::format_to(std::back_inserter(line), "libmadrigal-umad[{}]: {}\n", ::getpid(), text);
    // At once, so that lines of several threads do not mix; nobody is left to be told if it fails.
    [[maybe_unused]] auto const written = ::write(STDERR_FILENO, line.data(), line.size());
}

} // namespace madrigal::libibumad
