#include "cli/own_descriptor.hpp"

#include <boost/system/error_code.hpp>

#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace madrigal::cli {
namespace {

/// Pipes and terminals have no place in them that a new opening would lose, as a file has.
bool can_be_opened_anew(int descriptor)
{
    struct stat what {};
    return ::fstat(descriptor, &what) == 0 && (S_ISFIFO(what.st_mode) || S_ISCHR(what.st_mode));
}

int opened(int descriptor, int access)
{
    if (can_be_opened_anew(descriptor)) {
        auto const path = "/proc/self/fd/" + std::to_string(descriptor);
        int const anew = ::open(path.c_str(), access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (anew >= 0)
            return anew;
    }
    return ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

} // namespace

boost::asio::posix::stream_descriptor own_descriptor(
    boost::asio::any_io_executor const& executor, int descriptor, int access)
{
    boost::asio::posix::stream_descriptor stream{executor};
    int const own = opened(descriptor, access);
    boost::system::error_code failed;
    if (own >= 0)
        stream.assign(own, failed);
    if (failed)
        ::close(own);
    return stream;
}

} // namespace madrigal::cli
