// Serving requests between two machines of one fabric.
#include "runtime/two_machines.hpp"

#include <string>
#include <vector>

namespace madrigal::testing {
namespace {

raw_mad ping(destination const& to, std::uint32_t modifier = 0)
{
    raw_mad mad{to};
    mutable_mad_view const view{mad.bytes};
    view.set_base_version(mad_base_version);
    view.set_mgmt_class(management_class{0x32});
    view.set_class_version(1);
    view.set_method(method::get);
    view.set_attribute_modifier(modifier);
    for (std::size_t i = 0; i != 3; ++i)
        mad.bytes[37 + i] = static_cast<std::byte>(openib_oui >> (16 - 8 * i));
    return mad;
}

std::string text_of(received_mad const& answer)
{
    auto const bytes = answer.payload();
    std::string text;
    for (auto const byte : bytes)
        if (byte != std::byte{0})
            text += static_cast<char>(byte);
    return text;
}

TEST(Server, AnAnswerCarriesTheAttributeThatItIsGiven)
{
    simulated s{small_tree(), configured()};
    second_machine other{s};
    auto server = other.port.register_agent(umad::vendor_class(0x0A, 0).serving(method::get)).value();
    asio::co_spawn(s.loop, server.serve([](request asked) -> asio::awaitable<void> {
        class_port_info info;
        info.base_version = 7;
        asked.set_attribute(info);
        EXPECT_TRUE(co_await asked.reply());
    }),
        asio::detached);
    auto port = s.on_loop->open().value();
    auto client = port.register_agent(umad::vendor_class(0x0A, 0)).value();
    auto const answer = s.run(client.async_request(get<class_port_info>(other.own_lid()), {}, as_result));
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().base_version, 7);
    server.close();
    s.run_out();
}

TEST(Server, AnswersEachRequestOnceToWhereItCameFrom)
{
    simulated s{small_tree(), configured()};
    second_machine other{s};
    auto server = other.port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    asio::co_spawn(s.loop, server.serve([](request asked) -> asio::awaitable<void> {
        asked.payload().copy_from("pong");
        EXPECT_TRUE(co_await asked.reply());
        EXPECT_EQ((co_await asked.reply()).error(), errc::already_replied);
    }),
        asio::detached);
    auto port = s.on_loop->open().value();
    auto client = port.register_agent(vendor_class(0x32, openib_oui)).value();
    for (std::uint32_t i = 0; i != 3; ++i) {
        auto const answer = s.run(client.async_request(ping(other.own_lid(), i), {}, as_result));
        ASSERT_TRUE(answer) << answer.error().message();
        EXPECT_EQ(text_of(answer.value()), "pong");
        EXPECT_EQ(answer.value().mad().attribute_modifier(), i);
        EXPECT_EQ(answer.value().source(), other.own_lid());
        EXPECT_FALSE(answer.value().source_gid()) << "a GRH that nobody asked for";
    }
    server.close();
    s.run_out();
}

TEST(Server, AnswersARequestThatCameWithAGrhWithOne)
{
    simulated s{small_tree(), configured()};
    second_machine other{s};
    auto server = other.port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    asio::co_spawn(s.loop, server.serve([&](request asked) -> asio::awaitable<void> {
        EXPECT_TRUE(asked.received().source_gid());
        co_await asked.reply();
    }),
        asio::detached);
    auto port = s.on_loop->open().value();
    auto client = port.register_agent(vendor_class(0x32, openib_oui)).value();
    destination const to{other.port.attributes().gids.at(0), other.own_lid()};
    auto const answer = s.run(client.async_request(ping(to), {}, as_result));
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().source_gid(), other.port.attributes().gids.at(0));
}

TEST(Server, LeavesARequestUnansweredWhenItIsDropped)
{
    simulated s{small_tree(), configured()};
    second_machine other{s};
    auto server = other.port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    int seen = 0;
    asio::co_spawn(s.loop, server.serve([&](request) -> asio::awaitable<void> {
        ++seen;
        co_return;
    }),
        asio::detached);
    auto port = s.on_loop->open().value();
    auto client = port.register_agent(vendor_class(0x32, openib_oui)).value();
    auto const answer = s.run(client.async_request(ping(other.own_lid()), {.timeout = 10ms, .retries = 1}, as_result));
    EXPECT_EQ(answer.error(), errc::timeout);
    EXPECT_EQ(seen, 2) << "one retry is two transmissions";
}

TEST(Server, GoesOnWhenAHandlerThrows)
{
    simulated s{small_tree(), configured()};
    second_machine other{s};
    auto server = other.port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    asio::co_spawn(s.loop, server.serve([](request asked) -> asio::awaitable<void> {
        if (asked.mad().attribute_modifier() == 0)
            throw std::runtime_error{"on purpose"};
        co_await asked.reply();
    }),
        asio::detached);
    auto port = s.on_loop->open().value();
    auto client = port.register_agent(vendor_class(0x32, openib_oui)).value();
    request_options const once{.timeout = 10ms, .retries = 0};
    EXPECT_EQ(s.run(client.async_request(ping(other.own_lid(), 0), once, as_result)).error(), errc::timeout);
    EXPECT_TRUE(s.run(client.async_request(ping(other.own_lid(), 1), once, as_result)));
}

TEST(Server, ReturnsWhenTheAgentIsClosedAndItsHandlersHaveEnded)
{
    simulated s{small_tree(), configured()};
    auto port = s.on_loop->open().value();
    auto server = port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    error_code end;
    asio::co_spawn(s.loop, server.serve([](request) -> asio::awaitable<void> { co_return; }),
        [&](std::exception_ptr, error_code code) { end = code; });
    s.run_ready();
    EXPECT_FALSE(end);
    server.close();
    s.run_out();
    EXPECT_EQ(end, errc::agent_closed);
}

TEST(Server, CanBeCancelledAndItsCallerCanServeAgain)
{
    simulated s{small_tree(), configured()};
    auto port = s.on_loop->open().value();
    auto server = port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    std::vector<error_code> ends;
    asio::cancellation_signal signal;
    asio::co_spawn(
        s.loop,
        [](agent& by, std::vector<error_code>& codes) -> asio::awaitable<void> {
            co_await asio::this_coro::throw_if_cancelled(false);
            for (int i = 0; i != 2; ++i) {
                codes.push_back(co_await by.serve([](request) -> asio::awaitable<void> { co_return; }));
                co_await asio::this_coro::reset_cancellation_state();
            }
        }(server, ends),
        asio::bind_cancellation_slot(signal.slot(), asio::detached));
    for (std::size_t i = 0; i != 2; ++i) {
        s.run_ready();
        ASSERT_EQ(ends.size(), i);
        asio::post(s.loop, [&] { signal.emit(asio::cancellation_type::terminal); });
        s.run_ready();
        ASSERT_EQ(ends.size(), i + 1);
        EXPECT_EQ(ends[i], asio::error::operation_aborted);
    }
}

TEST(Inbox, IsBoundedAndCountsWhatItDrops)
{
    simulated s{small_tree(), configured()};
    second_machine other{s};
    auto server =
        other.port.register_agent(vendor_class(0x32, openib_oui).serving(method::get), {.inbox_limit = 4}).value();
    auto keeps_reading = other.port.register_agent(subnet_directed_route()).value();
    auto port = s.on_loop->open().value();
    auto client = port.register_agent(vendor_class(0x32, openib_oui)).value();
    for (std::uint32_t i = 0; i != 10; ++i)
        s.run([](agent& by, raw_mad what) -> asio::awaitable<void> {
            EXPECT_TRUE(co_await by.async_send(what, as_result));
        }(client, ping(other.own_lid(), i)));
    EXPECT_TRUE(s.run(keeps_reading.async_request(get<node_info>(directed_route{0}), {}, as_result)));
    EXPECT_EQ(server.gauges().inbox, 4u);
    EXPECT_EQ(server.counters().inbox_dropped, 6u);
    for (std::uint32_t i = 0; i != 4; ++i) {
        auto const next = s.run(server.async_receive(as_result));
        ASSERT_TRUE(next);
        EXPECT_EQ(next.value().mad().attribute_modifier(), i) << "out of order";
    }
    EXPECT_EQ(server.gauges().inbox, 0u);
}

TEST(Receive, CanBeCancelled)
{
    simulated s{small_tree(), configured()};
    auto port = s.on_loop->open().value();
    auto server = port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    for (auto const type :
        {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
        asio::cancellation_signal signal;
        error_code end;
        server.async_receive(
            asio::bind_cancellation_slot(signal.slot(), [&](error_code code, request const&) { end = code; }));
        s.run_ready();
        signal.emit(type);
        s.run_out();
        EXPECT_EQ(end, asio::error::operation_aborted);
    }
}

TEST(VendorClass, GivesEachOuiItsOwnTraffic)
{
    simulated s{small_tree(), configured()};
    second_machine other{s};
    auto ours = other.port.register_agent(vendor_class(0x32, openib_oui).serving(method::get)).value();
    auto theirs = other.port.register_agent(vendor_class(0x32, 0x00abcd).serving(method::get)).value();
    auto port = s.on_loop->open().value();
    auto client = port.register_agent(vendor_class(0x32, openib_oui)).value();
    s.run([](agent& by, raw_mad what) -> asio::awaitable<void> {
        EXPECT_TRUE(co_await by.async_send(what, as_result));
    }(client, ping(other.own_lid())));
    int got = 0;
    theirs.async_receive([&](error_code code, request const&) { got += code ? 0 : 100; });
    ours.async_receive([&](error_code code, request const&) { got += code ? 0 : 1; });
    s.run_out();
    EXPECT_EQ(got, 1);
    theirs.close();
    s.run_out();
}

} // namespace
} // namespace madrigal::testing
