#include "cli/output.hpp"

#include "cli/complain.hpp"
#include "cli/exit_code.hpp"

#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace madrigal::cli {
namespace {

error_code last_error() noexcept
{
    return {errno, boost::system::system_category()};
}

int complain_of(error_code code, std::string const& where)
{
    if (code != boost::system::errc::broken_pipe)
        complain("cannot write to " + where + ": " + code.message());
    return failed_operation;
}

} // namespace

error_code write_all(int descriptor, std::string_view text) noexcept
{
    while (!text.empty()) {
        auto const written = ::write(descriptor, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) { // a descriptor that somebody else has made non-blocking
            pollfd ready{descriptor, POLLOUT, 0};
            if (::poll(&ready, 1, -1) < 0 && errno != EINTR)
                return last_error();
        } else if (errno != EINTR) {
            return last_error();
        }
    }
    return {};
}

int write_results(std::string_view text, std::string const& path)
{
    if (path.empty() || path == "-") {
        auto const code = write_all(STDOUT_FILENO, text);
        return code ? complain_of(code, "standard output") : success;
    }
    int const file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return complain_of(last_error(), path);
    auto code = write_all(file, text);
    // Some file systems tell of a full disk only here.
    if (::close(file) != 0 && !code)
        code = last_error();
    return code ? complain_of(code, path) : success;
}

} // namespace madrigal::cli
