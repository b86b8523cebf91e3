// The program `madrigal`.
#include "cli/complain.hpp"
#include "cli/exit_code.hpp"
#include "cli/program.hpp"

#include <csignal>
#include <exception>

#include <fcntl.h>
#include <unistd.h>

namespace {

/// Whoever closes stdin, stdout or stderr gives its number to the next file that is opened, a device's perhaps, and
/// results would be written into that. What stands in for them can only be read, so writing still fails.
bool occupy_standard_descriptors()
{
    for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) >= 0)
            continue;
        // The lowest free number is this one. The root stands in where there is no /dev.
        if (::open("/dev/null", O_RDONLY) < 0 && ::open("/", O_RDONLY | O_DIRECTORY) < 0) // NOLINT: kept open
            return false;
    }
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    if (!occupy_standard_descriptors())
        return madrigal::cli::failed_operation;
    // A reader that goes away is an error of write(2), seen where results are written.
    (void)std::signal(SIGPIPE, SIG_IGN);
    try {
        return madrigal::cli::run_program(argc, argv);
    } catch (std::exception const& failure) {
        madrigal::cli::complain(failure.what());
        return madrigal::cli::failed_operation;
    }
}
