#include "cli/complain.hpp"

#include "cli/exit_code.hpp"
#include "cli/output.hpp"

#include <madrigal/wire/fixed_text.hpp>

#include <string>

#include <unistd.h>

namespace madrigal::cli {
namespace {

/// `printable` piece by piece between backslashes, as the message may have been through it in part already.
std::string one_line(std::string_view message)
{
    std::string line;
    for (;;) {
        auto const end = message.find('\\');
        line += printable(message.substr(0, end));
        if (end == std::string_view::npos)
            return line;
        line += '\\';
        message.remove_prefix(end + 1);
    }
}

} // namespace

void complain(std::string_view message)
{
    // Nothing is left to be done where stderr itself fails.
    (void)write_all(STDERR_FILENO, "madrigal: " + one_line(message) + "\n");
}

int fail(error const& what)
{
    if (what.code() == errc::malformed_uri) {
        // The context says it all, and it was the command line or the environment that said it.
        complain(what.context().empty() ? what.message() : what.context());
        return wrong_usage;
    }
    auto message = what.message();
    if (what.code() == errc::no_infiniband)
        message += "; without it: madrigal sim generate fat-tree -o lab.topo, then --host sim:lab.topo";
    complain(message);
    return failed_operation;
}

} // namespace madrigal::cli
