// The public interface on the world's port: one loop, one port, and coroutines run to their end.
#pragma once

#include "conformance/raw_file.hpp"

#include <madrigal/madrigal.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace madrigal::conformance {

/// A loop with a reactor and an open port on it.
class Api : public Conformance {
protected:
    Api()
    {
        auto opened = on_loop.open({.ca = on.ca(), .port = on.port()});
        EXPECT_TRUE(opened) << opened.error().message();
        port = std::move(opened).value();
    }

    /// Runs a coroutine to its end; its exceptions are the test's.
    void run(asio::awaitable<void> coroutine, milliseconds within = 60s)
    {
        std::exception_ptr thrown;
        bool ended = false;
        asio::co_spawn(loop, std::move(coroutine), [&](std::exception_ptr const& e) {
            thrown = e;
            ended = true;
        });
        ASSERT_TRUE(on.run_until(
            loop, [&] { return ended; }, within))
            << "it waits for something that never happens";
        if (thrown)
            std::rethrow_exception(thrown);
    }
    template <class T>
    T run(asio::awaitable<T> coroutine, milliseconds within = 60s)
    {
        std::optional<T> value;
        run(keep(std::move(coroutine), value), within);
        return std::move(value).value();
    }
    /// The same for an operation with `as_result`.
    template <class Result, class Initiation, class... Args>
    Result run(pending_result<void(Result), Initiation, Args...> pending, milliseconds within = 60s)
    {
        return run(asio::awaitable<Result>{std::move(pending)}, within);
    }
    /// Runs the loop until `done`.
    bool run_until(std::function<bool()> const& done, milliseconds within = 60s)
    {
        return on.run_until(loop, done, within);
    }

    [[nodiscard]] destination itself() { return destination{on.own_gid(), on.own_lid()}; }
    /// A Get of class 0x32 to the port itself.
    [[nodiscard]] raw_mad ping(std::uint32_t number = 0, method ask = method::get)
    {
        raw_mad mad{itself()};
        auto const one = question(on, 0, number, ask);
        std::copy(one.bytes.begin(), one.bytes.end(), mad.bytes.begin());
        return mad;
    }
    [[nodiscard]] agent client(agent_options const& options = {})
    {
        return port.register_agent(umad::vendor_class(vendor, oui), options).value();
    }
    [[nodiscard]] agent server(agent_options const& options = {})
    {
        return port.register_agent(umad::vendor_class(vendor, oui).serving(method::get), options).value();
    }
    /// Serves with this handler until the agent is closed.
    void serve(agent const& with, std::function<asio::awaitable<void>(request)> handler)
    {
        asio::co_spawn(loop, with.serve(std::move(handler)), asio::detached);
    }
    /// What every server here does unless a case says otherwise.
    static asio::awaitable<void> echo(request asked) { EXPECT_TRUE(co_await asked.reply()); }
    /// A server that takes requests and leaves them unanswered.
    static asio::awaitable<void> ignore(request) { co_return; }
    static void expect_nothing_held(agent const& of)
    {
        EXPECT_EQ(of.gauges().slots, 0u);
        EXPECT_EQ(of.gauges().on_wire, 0u);
        EXPECT_EQ(of.gauges().waiting, 0u);
    }

private:
    template <class T>
    static asio::awaitable<void> keep(asio::awaitable<T> coroutine, std::optional<T>& value)
    {
        value.emplace(co_await std::move(coroutine));
    }

protected:
    asio::io_context loop{1};
    reactor on_loop{loop, on.host(), {.time = on.time()}};
    madrigal::port port;
};

} // namespace madrigal::conformance
