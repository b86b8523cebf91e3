#include "cli/progress_line.hpp"

#include "cli/output.hpp"

#include <fmt/format.h>

#include <chrono>

#include <unistd.h>

namespace madrigal::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto quiet_at_first = 500ms;
constexpr auto between = 100ms;
constexpr char wipe[] = "\r\x1b[K"; // to the start of the line, and erase it (ECMA-48, EL)

} // namespace

void progress_line::start()
{
    if (::isatty(STDERR_FILENO) == 1)
        write_after(quiet_at_first);
}

void progress_line::write_after(std::chrono::milliseconds pause)
{
    timer_.expires_after(pause);
    timer_.async_wait([this](error_code cancelled) {
        if (cancelled)
            return;
        shown_ = true;
        (void)write_all(STDERR_FILENO, fmt::format("{}{} nodes, {} links, {} SMPs sent, {} to ask", wipe, latest_.nodes,
                                           latest_.links, latest_.smps, latest_.waiting));
        write_after(between);
    });
}

void progress_line::finish()
{
    timer_.cancel();
    if (std::exchange(shown_, false))
        (void)write_all(STDERR_FILENO, wipe);
}

} // namespace madrigal::cli
