// Takes part in the choice of a subnet's master, and says what a subnet manager had to do, until COUNT duties have
// come.
//
//     standby [HOST [PRIORITY [COUNT]]]       standby 'unix:/run/lab?ca=host3' 9
//
// As a master it only sweeps: a subnet manager would configure what it finds.
#include <madrigal/fabric/discover.hpp>
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/madrigal.hpp>
#include <madrigal/subnet/mastership.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <spdlog/spdlog.h>

#include <cstdlib>

namespace asio = boost::asio;
namespace mad = madrigal;
using namespace std::chrono_literals;

asio::awaitable<void> sweep(mad::port on, mad::smp_client client, mad::mastership const& role)
{
    auto const swept = co_await mad::discover(on);
    if (!swept)
        co_return spdlog::error("cannot sweep: {}", swept.error().message());
    auto const seen = co_await find_managers(client, swept.value(), role.info());
    for (auto const& one : seen)
        spdlog::info("{} of {} is {}, priority {}", to_string(one.where), one.info.port_guid,
            one.silent ? "silent" : to_string(one.info.state), one.info.priority);
    role.on_sweep(seen);
}

asio::awaitable<void> take_part(mad::port on, mad::mastership_options options, long count)
{
    auto claim = co_await on.async_become_sm(10s, mad::as_result);
    if (!claim)
        co_return spdlog::error("cannot be a subnet manager: {}", claim.error().message());
    auto server = mad::smp_server::open(on).value();
    auto role = mad::mastership::open(on, server, options).value();
    auto client = mad::smp_client::open(on).value();
    while (auto const duty = co_await role.next()) {
        spdlog::info("{}: {}", to_string(role.state()), to_string(duty.value()));
        if (--count == 0)
            break;
        if (duty.value() == mad::sm_duty::discover)
            co_await sweep(on, client, role);
        // A master looks around again and again: one before it may have come.
        while (role.state() == mad::sm_state::master && !role.has_next()) {
            co_await sweep(on, client, role);
            for (int i = 0; i != 20 && !role.has_next(); ++i) {
                asio::steady_timer pause{co_await asio::this_coro::executor, 100ms};
                co_await pause.async_wait(asio::use_awaitable);
            }
        }
    }
}

int main(int argc, char** argv)
try {
    auto const host = mad::open_host(argc > 1 ? argv[1] : mad::default_host_uri()).value();
    asio::io_context loop;
    mad::reactor reactor{loop, *host};
    mad::mastership_options options;
    options.priority = static_cast<std::uint8_t>(argc > 2 ? std::atoi(argv[2]) : 0);
    options.sm_key = 1; // as OpenSM has it
    options.pace.poll_interval = 1s;
    asio::co_spawn(loop, take_part(reactor.open().value(), options, argc > 3 ? std::atol(argv[3]) : -1),
        [&loop](std::exception_ptr const& thrown) {
            loop.stop();
            if (thrown)
                std::rethrow_exception(thrown);
        });
    loop.run();
} catch (std::exception const& failure) {
    spdlog::error("{}", failure.what());
    return 1;
}
