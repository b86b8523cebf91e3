// Answers pings of a vendor class with this machine's name, as ibping's server does, until it has answered COUNT.
//
//     responder [HOST [COUNT]]      responder 'sim:lab.topo?configured' 3
//
// So that something happens on a quiet fabric, it also pings itself once for each answer.
#include <madrigal/hosts/open_host.hpp>
#include <madrigal/madrigal.hpp>
#include <madrigal/wire/mad.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <unistd.h>

namespace asio = boost::asio;
namespace mad = madrigal;

constexpr std::uint8_t ping_class = 0x32;

// What a ping carries: one table makes an attribute.
#define PING_TEXT(field) field(mad::fixed_text<64>, text, "Text", 0, 512, "the name of the machine that answers")
MADRIGAL_ATTRIBUTE(ping_text, "PingText", 0, mad::attribute_scope{mad::management_class{ping_class}}, 64, PING_TEXT);

std::string host_name()
{
    std::array<char, 64> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

asio::awaitable<void> answer_pings(mad::agent& server, int count)
{
    co_await server.serve([&, left = count](mad::request ping) mutable -> asio::awaitable<void> {
        spdlog::info("a ping from LID {}", ping.source());
        ping.payload().copy_from(host_name());
        if (auto const sent = co_await ping.reply(); !sent)
            spdlog::error("cannot answer: {}", sent.error().message());
        if (--left == 0)
            server.close();
    });
}

asio::awaitable<void> ping_myself(mad::agent& client, mad::lid self, int count)
{
    for (int i = 0; i != count; ++i) {
        auto const pong = co_await client.async_request(mad::get<ping_text>(self), {}, mad::as_result);
        if (!pong)
            spdlog::error("no answer: {}", pong.error().message());
        else
            spdlog::info("an answer: {}", pong.value().text.view());
    }
}

int main(int argc, char** argv)
try {
    auto const host = mad::open_host(argc > 1 ? argv[1] : mad::default_host_uri()).value();
    int const count = argc > 2 ? std::atoi(argv[2]) : 3;
    asio::io_context loop;
    mad::reactor reactor{loop, *host};
    auto port = reactor.open().value();
    if (!port.attributes().base_lid.is_unicast())
        throw std::runtime_error{"the port has no LID: is a subnet manager running? (sim:FILE?configured)"};
    auto of_ping = mad::vendor_class(ping_class, mad::openib_oui);
    auto server = port.register_agent(of_ping.serving(mad::method::get)).value();
    auto client = port.register_agent(of_ping).value();
    asio::co_spawn(loop, answer_pings(server, count), asio::detached);
    asio::co_spawn(loop, ping_myself(client, port.attributes().base_lid, count), asio::detached);
    loop.run();
} catch (std::exception const& failure) {
    spdlog::error("{}", failure.what());
    return 1;
}
