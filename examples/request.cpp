// Asks a node who it is.
//
//     request [HOST [ROUTE]]        request sim:lab.topo 0,1
//
// HOST is a host's URI (MADRIGAL_HOST or linux where not given), ROUTE a directed route (the local node).
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/madrigal.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <spdlog/spdlog.h>

namespace asio = boost::asio;
namespace mad = madrigal;
using namespace std::chrono_literals;

asio::awaitable<int> who_is_there(mad::reactor& reactor, mad::directed_route const& route)
{
    auto port = reactor.open();
    if (!port) {
        spdlog::error("{}", port.error().message());
        co_return 1;
    }
    auto smp = port.value().register_agent(mad::subnet_directed_route());
    if (!smp) {
        spdlog::error("{}", smp.error().message());
        co_return 1;
    }
    auto const answer = co_await smp.value().async_request(
        mad::get<mad::node_info>(route), {.timeout = 200ms, .retries = 2}, mad::as_result);
    if (!answer) {
        spdlog::error("no answer from {}: {}", to_string(route), answer.error().message());
        co_return 1;
    }
    auto const& node = answer.value();
    spdlog::info("{}: {} {}, {} ports", to_string(route), node.type, node.node_guid, node.num_ports);
    co_return 0;
}

int main(int argc, char** argv)
{
    auto const route = mad::directed_route::parse(argc > 2 ? argv[2] : "0");
    auto const host = mad::open_host(argc > 1 ? argv[1] : mad::default_host_uri());
    if (!route || !host) {
        spdlog::error("{}", host ? "the route must be numbers such as 0,1,3" : host.error().message());
        return 2;
    }
    int exit_code = 1;
    asio::io_context loop;
    mad::reactor reactor{loop, *host.value()};
    asio::co_spawn(loop, who_is_there(reactor, *route), [&](std::exception_ptr const& thrown, int code) {
        if (thrown)
            std::rethrow_exception(thrown);
        exit_code = code;
    });
    loop.run();
    return exit_code;
}
