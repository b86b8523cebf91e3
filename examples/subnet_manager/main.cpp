#include "configure.hpp"
#include "lids.hpp"
#include "routing.hpp"
#include "settings.hpp"
#include "sweep.hpp"

#include <madrigal/hosts/open_host.hpp>
#include <madrigal/madrigal.hpp>

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <spdlog/spdlog.h>

namespace mad = madrigal;
namespace asio = boost::asio;

asio::awaitable<void> once(mad::port port, sm::settings with)
{
    auto client = sm::open_client(port, with).value();
    auto lids = sm::lid_memory::open(with.lids_file).value();
    auto found = co_await sm::heavy_sweep(client, with);
    auto& swept = found.value();
    lids.assign(swept.subnet, with.lmc).value();
    lids.save().value();
    if (with.routing == sm::routing::min_hop)
        sm::route_min_hop(swept.subnet);
    else
        sm::route_up_down(swept.subnet, with.roots);
    sm::written_by_switch written;
    auto done = co_await sm::configure(client, swept.subnet, sm::port_plan{swept.subnet, with, true}, written);
    spdlog::info("{} nodes, {} SMPs for the sweep, {} to configure, {} failed", swept.subnet.found.fabric.size(),
        swept.smps, done.value().smps, done.value().failed);
}

int main(int argc, char** argv)
try {
    CLI::App app{"A subnet manager"};
    std::string host = mad::default_host_uri();
    std::string file;
    app.add_option("--host", host);
    app.add_option("--settings", file);
    CLI11_PARSE(app, argc, argv);
    auto const on = mad::open_host(host).value();
    sm::settings with;
    if (!file.empty())
        with = sm::read_settings(file).value().front();
    asio::io_context loop;
    mad::reactor reactor{loop, *on};
    auto port = reactor.open().value();
    asio::co_spawn(loop, once(port, with), [](std::exception_ptr e) {
        if (e)
            std::rethrow_exception(e);
    });
    loop.run();
} catch (std::exception const& failure) {
    spdlog::error("{}", failure.what());
    return 1;
}
