// Shows the traps that reach this port as the subnet manager's, and represses them, until COUNT have come.
//
//     trap_watch [HOST [COUNT]]     trap_watch 'sim:lab.topo?configured' 1
//
// On the embedded fabric it takes a cable out, so that there is a trap to see.
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/madrigal.hpp>
#include <madrigal/sim/host.hpp>
#include <madrigal/wire/trap.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <spdlog/spdlog.h>

#include <cstdlib>

namespace asio = boost::asio;
namespace mad = madrigal;

asio::awaitable<void> watch(mad::agent& server, int count)
{
    for (; count > 0; --count) {
        auto received = co_await server.async_receive(mad::as_result);
        if (!received)
            co_return spdlog::error("{}", received.error().message());
        auto trap = std::move(received).value();
        auto const notice = trap.attribute<mad::notice>();
        auto const details = notice ? mad::decode_trap(*notice) : std::nullopt;
        if (details)
            spdlog::info("from LID {}:\n{}", trap.source(), to_text(*details));
        else
            spdlog::info("from LID {}: a notice of another kind", trap.source());
        if (auto const sent = co_await trap.reply(); !sent) // TrapRepress; else the trap comes again
            spdlog::error("cannot repress it: {}", sent.error().message());
    }
    server.close();
}

/// Takes out the first cable between two switches of the embedded fabric.
void make_a_trap(mad::umad::host& host)
{
    auto const* const simulated = dynamic_cast<mad::sim::host*>(&host);
    if (simulated == nullptr)
        return;
    auto const& fabric = *simulated->on_fabric();
    auto const& nodes = fabric.layout().nodes();
    for (mad::topology::node_index i = 0; i != nodes.size(); ++i)
        for (std::uint8_t number = 1; number <= nodes[i].port_count(); ++number) {
            auto const peer = nodes[i].external_port(number).peer;
            bool const of_switches =
                peer && nodes[i].type == mad::node_type::switch_ && nodes[peer.node].type == mad::node_type::switch_;
            if (of_switches && !simulated->on_fabric()->set_link({i, number}, false).code())
                return;
        }
}

int main(int argc, char** argv)
try {
    auto const host = mad::open_host(argc > 1 ? argv[1] : mad::default_host_uri()).value();
    asio::io_context loop;
    mad::reactor reactor{loop, *host};
    auto port = reactor.open().value();
    if (!port.attributes().base_lid.is_unicast())
        throw std::runtime_error{"the port has no LID: is a subnet manager running? (sim:FILE?configured)"};
    auto server = port.register_agent(mad::subnet_lid_routed().serving(mad::method::trap)).value();
    asio::co_spawn(loop, watch(server, argc > 2 ? std::atoi(argv[2]) : 1), asio::detached);
    make_a_trap(*host);
    loop.run();
} catch (std::exception const& failure) {
    spdlog::error("{}", failure.what());
    return 1;
}
