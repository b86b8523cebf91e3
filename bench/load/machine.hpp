// On what a figure was measured.
#pragma once

#include <string>

namespace madrigal::bench {

struct machine {
    std::string cpu;    ///< as /proc/cpuinfo names it; `unknown` where it does not
    unsigned cores = 0; ///< that this process may run on
    std::string kernel; ///< name and release, as uname(1) shows them
};

[[nodiscard]] machine this_machine();

} // namespace madrigal::bench
