// Opening and closing ports.
#include "libibumad/log.hpp"
#include "libibumad/open_ports.hpp"
#include "libibumad/port_choice.hpp"
#include "libibumad/process_host.hpp"

namespace madrigal::libibumad {
namespace {

int open_one(char const* function, wanted_port const& wanted)
{
    return uncancelled([&]() -> verdict {
        debug("{}: CA {} port {}", function, shown(wanted.ca), wanted.number);
        auto host = use_host();
        if (!host)
            return refused(ENODEV);
        auto one = open_port(*host.value(), wanted);
        if (!one)
            return failed(one.error());
        int const descriptor = open_ports::of_process().add(std::move(one.value().file));
        debug("{}: {} is {}", function, one.value().name, descriptor);
        return {descriptor};
    });
}

} // namespace
} // namespace madrigal::libibumad

using namespace madrigal::libibumad;

extern "C" {

int umad_init()
{
    return 0; // the host is opened when it is needed
}

int umad_done()
{
    return 0; // ports stay open until they are closed
}

/// The number is the descriptor: non-blocking, fit for poll, select and epoll, usable after a fork, and closed on exec,
/// unlike libibumad's, since a program that is started from this one has no use for it and should not get it.
int umad_open_port(char const* ca_name, int portnum)
{
    return open_one("umad_open_port", {.ca = ca_name, .number = portnum});
}

int umad_open_smi_port(char const* ca_name, int portnum)
{
    return open_one("umad_open_smi_port", {.ca = ca_name, .number = portnum, .takes_smps = true});
}

int umad_close_port(int portid)
{
    return uncancelled([&]() -> verdict {
        debug("umad_close_port: {}", portid);
        return open_ports::of_process().remove(portid) ? verdict{} : refused(EINVAL);
    });
}

int umad_get_fd(int portid)
{
    return uncancelled(
        [&]() -> verdict { return open_ports::of_process().find(portid) ? verdict{portid} : refused(EINVAL); });
}

} // extern "C"
