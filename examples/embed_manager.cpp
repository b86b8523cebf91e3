// A subnet manager inside somebody else's program: the port, the loop and the rest of the program are that one's.
//
//     embed_manager HOST            embed_manager sim:lab.topo
//
// It configures the subnet, answers questions about paths, and ends once it has done so; a daemon would go on.
// examples/subnet_manager is one.
#include <madrigal/fabric/discover.hpp>
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/madrigal.hpp>
#include <madrigal/subnet/find_managers.hpp>
#include <madrigal/subnet/lid_assignment.hpp>
#include <madrigal/subnet/mastership.hpp>
#include <madrigal/subnet/path_answers.hpp>
#include <madrigal/subnet/routing.hpp>
#include <madrigal/subnet/sa_server.hpp>
#include <madrigal/subnet/subnet_writer.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <spdlog/spdlog.h>

namespace asio = boost::asio;
namespace mad = madrigal;
using namespace std::chrono_literals;

asio::awaitable<void> manage(mad::port port)
{
    auto const claim = (co_await port.async_become_sm(10s, mad::as_result)).value(); // IsSM: others know whom to ask
    auto const server = mad::smp_server::open(port).value();                         // traps, and SMInfo
    auto const client = mad::smp_client::open(port).value();                         // all that we ask nodes
    auto const role = mad::mastership::open(port, server).value();
    auto const administration = mad::sa_server::open(port).value();

    std::shared_ptr<mad::managed_subnet> now; // as it was found, and what has been decided
    mad::known_lids lids;                     // to be kept in a file
    mad::switch_tables written;
    mad::engine::multicast_registry groups;
    administration.serve<mad::path_record>(
        mad::method::get, [&](mad::sa_asked<mad::path_record> const& asked, mad::sa_records<mad::path_record>& out) {
            return now ? answer_path(*now, groups, asked, out) : mad::mad_status::busy;
        });
    asio::co_spawn(port.executor(), administration.run(), asio::detached);

    while (auto const duty = co_await role.next()) {
        if (duty.value() != mad::sm_duty::discover && duty.value() != mad::sm_duty::configure)
            continue; // somebody else is the master
        mad::discover_options how;
        how.keep_attributes = true;
        auto found = (co_await mad::discover(client, how)).value();
        role.on_sweep(co_await mad::find_managers(client, found, role.info()));
        if (role.state() != mad::sm_state::master)
            continue;
        now = std::make_shared<mad::managed_subnet>(std::move(found));
        assign_lids(*now, lids).value();
        route_min_hop(*now);
        auto const done = (co_await mad::write_subnet(client, *now, mad::port_policy{}, written)).value();
        spdlog::info("{} nodes, {} SMPs, {} failed", now->found.fabric.size(), done.smps, done.failed);
        break; // a daemon goes on: with the next duty, the next trap, the next look at the switches
    }
    port.close();
}

int main(int argc, char** argv)
try {
    auto const host = mad::open_host(argc > 1 ? argv[1] : mad::default_host_uri()).value();
    asio::io_context loop;
    mad::reactor reactor{loop, *host};
    asio::co_spawn(loop, manage(reactor.open().value()), [](std::exception_ptr const& thrown) {
        if (thrown)
            std::rethrow_exception(thrown);
    });
    loop.run();
} catch (std::exception const& failure) {
    spdlog::error("{}", failure.what());
    return 1;
}
