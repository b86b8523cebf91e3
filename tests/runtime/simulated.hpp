// A fabric, a loop and a clock that a test drives by hand.
#pragma once

#include <madrigal/engine/virtual_time.hpp>
#include <madrigal/madrigal.hpp>
#include <madrigal/sim/fabric.hpp>
#include <madrigal/sim/host.hpp>
#include <madrigal/topology/generators.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace madrigal::testing {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// One fabric in virtual time, one loop, and a reactor on the first CA's host.
class simulated {
public:
    explicit simulated(topology::fabric layout, sim::fabric_options options = {}, reactor_options reactor_how = {})
    {
        options.time = &time;
        fabric = sim::fabric::make(std::move(layout), std::move(options)).value();
        host = sim::host::make(fabric).value();
        reactor_how.time = &time;
        on_loop = std::make_unique<reactor>(loop, *host, reactor_how);
    }

    /// Runs what is ready, and moves the clock to the next alarm when nothing is, until `done`. False where nothing can
    /// happen any more.
    bool run_until(std::function<bool()> const& done)
    {
        for (;;) {
            loop.restart();
            while (loop.poll() != 0)
                if (done())
                    return true;
            if (done())
                return true;
            if (!time.advance_to_next())
                return false;
        }
    }

    /// Runs everything until nothing can happen any more.
    void run_out()
    {
        (void)run_until([] { return false; });
    }

    /// Runs what is ready without moving the clock.
    void run_ready()
    {
        loop.restart();
        while (loop.poll() != 0)
            ;
    }

    /// Runs a coroutine to its end; its exceptions are the test's.
    void run(asio::awaitable<void> coroutine)
    {
        std::exception_ptr thrown;
        bool ended = false;
        asio::co_spawn(loop, std::move(coroutine), [&](std::exception_ptr e) {
            thrown = e;
            ended = true;
        });
        EXPECT_TRUE(run_until([&] { return ended; })) << "the coroutine waits for something that never happens";
        if (thrown)
            std::rethrow_exception(thrown);
    }
    template <class T>
    T run(asio::awaitable<T> coroutine)
    {
        // By way of an optional: co_spawn demands values that can be default-constructed.
        std::optional<T> value;
        run(keep(std::move(coroutine), value));
        return std::move(value).value();
    }
    /// The same for an operation with `as_result`.
    template <class Result, class Initiation, class... Args>
    Result run(pending_result<void(Result), Initiation, Args...> pending)
    {
        return run(asio::awaitable<Result>{std::move(pending)});
    }

private:
    template <class T>
    static asio::awaitable<void> keep(asio::awaitable<T> coroutine, std::optional<T>& value)
    {
        value.emplace(co_await std::move(coroutine));
    }

public:
    engine::virtual_time time;
    asio::io_context loop{1};
    std::shared_ptr<sim::fabric> fabric;
    std::shared_ptr<sim::host> host;
    std::unique_ptr<reactor> on_loop;
};

/// A configured fabric.
[[nodiscard]] inline sim::fabric_options configured()
{
    sim::fabric_options options;
    options.start = sim::start_state::configured;
    return options;
}
/// A fabric whose links take a while, so that something is under way when the clock stands.
[[nodiscard]] inline sim::fabric_options slow()
{
    sim::fabric_options options;
    options.faults.hop_latency = 1ms;
    return options;
}

/// Two leaves, two spines, two hosts a leaf.
[[nodiscard]] inline topology::fabric small_tree(bool lids = true)
{
    return topology::generate(topology::fat_tree{.leaves = 2, .hosts_per_leaf = 2, .spines = 2},
        topology::generate_options{.assign_lids = lids})
        .value();
}

/// Nothing is held any more: no slot, no window place, no packet.
inline void expect_nothing_held(agent const& of)
{
    auto const held = of.gauges();
    EXPECT_EQ(held.slots, 0u);
    EXPECT_EQ(held.on_wire, 0u);
    EXPECT_EQ(held.waiting, 0u);
}

} // namespace madrigal::testing
