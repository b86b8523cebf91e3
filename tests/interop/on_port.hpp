// A program that does one thing through a host's port.
#pragma once

#include <madrigal/hosts/open_host.hpp>
#include <madrigal/runtime/reactor.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

namespace madrigal::interop {

/// Says what went wrong on stderr; 1, the exit code.
inline int fail(error const& what)
{
    fmt::print(stderr, "{}\n", what.message());
    return 1;
}

/// Opens the port that the host chooses, and runs `work(port)`, which gives the exit code.
template <class Work>
int on_port(std::string const& uri, Work const& work)
{
    auto const host = open_host(uri);
    if (!host)
        return fail(host.error());
    asio::io_context loop;
    reactor on{loop, *host.value()};
    auto const local = on.open();
    if (!local)
        return fail(local.error());
    int status = 1;
    asio::co_spawn(loop, work(local.value()), [&](std::exception_ptr const& thrown, int code) {
        if (thrown)
            std::rethrow_exception(thrown);
        status = code;
        loop.stop();
    });
    loop.run();
    return status;
}

} // namespace madrigal::interop
