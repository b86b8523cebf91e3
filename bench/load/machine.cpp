#include "machine.hpp"

#include <fstream>
#include <sched.h>
#include <sys/utsname.h>

namespace madrigal::bench {
namespace {

std::string cpu_name()
{
    std::ifstream from{"/proc/cpuinfo"};
    for (std::string line; std::getline(from, line);) {
        auto const colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return "unknown";
}

unsigned cores_for_us() noexcept
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 0;
    return static_cast<unsigned>(CPU_COUNT(&allowed));
}

} // namespace

machine this_machine()
{
    utsname system{};
    (void)::uname(&system);
    return {cpu_name(), cores_for_us(), std::string{system.sysname} + ' ' + system.release};
}

} // namespace madrigal::bench
