// Asks subnet administration for the way to a LID, and then listens to what happens on the subnet.
//
//     sa_query [HOST [LID]]         sa_query linux 12
//
// HOST is a host's URI (MADRIGAL_HOST or linux where not given), LID the subnet manager's own where not given. A
// simulated fabric has subnet administration where its URI says so, sim:FILE?configured&sa, and tells no notices.
#include <madrigal/fabric/sa_queries.hpp>
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/madrigal.hpp>
#include <madrigal/wire/trap.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <spdlog/spdlog.h>

#include <cstdlib>

namespace asio = boost::asio;
namespace mad = madrigal;

asio::awaitable<void> ask(mad::sa_client sa, mad::lid to)
{
    auto const own = sa.on().query_subnet().value();
    auto const path = co_await async_path(sa, own.base_lid, to.value() != 0 ? to : own.sm_lid, {}, mad::as_result);
    if (!path)
        co_return spdlog::error("no path: {}", path.error().message());
    spdlog::info("from LID {} to LID {} on SL {}, {} Gb/s", path.value().slid, path.value().dlid,
        path.value().service_level, path.value().rate);

    auto const switches = co_await async_all_switches(sa, {}, mad::as_result);
    if (!switches)
        co_return spdlog::error("no switches: {}", switches.error().message());
    for (auto const& one : switches.value())
        spdlog::info("LID {}: {}", one.base_lid, one.description.description.view());

    auto const news = co_await sa.async_subscribe(mad::inform_about(mad::all_notices), {}, mad::as_result);
    if (!news)
        co_return spdlog::error("no subscription: {}", news.error().message());
    for (;;) {
        auto const told = co_await news.value().async_receive(mad::as_result);
        if (!told)
            co_return spdlog::error("{}", told.error().message());
        spdlog::info("LID {} tells: {}", told.value().issuer_lid, mad::trap_name(told.value().trap_number));
    }
}

int main(int argc, char** argv)
try {
    auto const host = mad::open_host(argc > 1 ? argv[1] : mad::default_host_uri()).value();
    auto const to = mad::lid{static_cast<std::uint16_t>(argc > 2 ? std::atoi(argv[2]) : 0)};
    asio::io_context loop;
    mad::reactor reactor{loop, *host};
    auto const sa = mad::sa_client::open(reactor.open().value()).value();
    asio::co_spawn(loop, ask(sa, to), [](std::exception_ptr const& thrown) {
        if (thrown)
            std::rethrow_exception(thrown);
    });
    loop.run();
} catch (std::exception const& failure) {
    spdlog::error("{}", failure.what());
    return 1;
}
