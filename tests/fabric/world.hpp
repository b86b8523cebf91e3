// A simulated fabric, a host on it and a reactor, all on one made-up clock.
#pragma once

#include <madrigal/engine/virtual_time.hpp>
#include <madrigal/fabric/discover.hpp>
#include <madrigal/runtime/reactor.hpp>
#include <madrigal/sim/fabric.hpp>
#include <madrigal/sim/host.hpp>
#include <madrigal/topology/compare.hpp>
#include <madrigal/wire/all_attributes.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace madrigal::tests {

/// One machine on one fabric.
class world {
public:
    explicit world(topology::fabric layout, sim::fabric_options options = {},
        std::optional<std::string_view> ca = std::nullopt, std::optional<unsigned> port_number = std::nullopt)
        : layout_{std::move(layout)},
          on_{make(layout_, options, time_)},
          host_{sim::host::make(on_, ca).value()},
          reactor_{loop_, *host_, reactor_options{.time = &time_}},
          port_{reactor_.open({.port = port_number}).value()}
    {}

    /// What has become of an awaitable that was started.
    template <class T>
    struct running {
        std::optional<T> outcome;
        std::exception_ptr thrown;
        bool ended = false;
    };
    /// Starts an awaitable; `step` moves it on.
    template <class T>
    std::shared_ptr<running<T>> start(asio::awaitable<T> what, asio::cancellation_slot slot = {})
    {
        auto state = std::make_shared<running<T>>();
        asio::co_spawn(loop_, keep(std::move(what), state),
            asio::bind_cancellation_slot(slot, [state](std::exception_ptr const& thrown) {
                state->thrown = thrown;
                state->ended = true;
            }));
        return state;
    }
    /// Runs an awaitable to its end, moving the clock whenever nothing else is to be done.
    template <class T>
    T run(asio::awaitable<T> what)
    {
        auto const state = start(std::move(what));
        while (!state->ended)
            if (!step())
                throw std::runtime_error{"the loop waits for nothing"};
        if (state->thrown)
            std::rethrow_exception(state->thrown);
        return std::move(*state->outcome);
    }
    /// One round of the loop, or a move of the clock; false when neither does anything.
    bool step()
    {
        loop_.restart();
        return loop_.poll() != 0 || time_.advance_to_next();
    }
    result<discovery> sweep(discover_options options = discover_options{})
    {
        options.time = &time_;
        return run(discover(port_, std::move(options)));
    }

    [[nodiscard]] topology::fabric const& layout() const { return layout_; }
    [[nodiscard]] sim::fabric& on() { return *on_; }
    [[nodiscard]] port const& local() const { return port_; }
    [[nodiscard]] engine::virtual_time& time() { return time_; }
    [[nodiscard]] asio::io_context& loop() { return loop_; }

private:
    template <class T>
    static asio::awaitable<void> keep(asio::awaitable<T> what, std::shared_ptr<running<T>> in)
    {
        in->outcome.emplace(co_await std::move(what));
    }

    static std::shared_ptr<sim::fabric> make(
        topology::fabric const& layout, sim::fabric_options options, engine::virtual_time& time)
    {
        options.time = &time;
        return sim::fabric::make(layout, options).value();
    }

    topology::fabric layout_;
    engine::virtual_time time_;
    asio::io_context loop_;
    std::shared_ptr<sim::fabric> on_;
    std::shared_ptr<sim::host> host_;
    reactor reactor_;
    port port_;
};

/// No node or cable differs.
inline void expect_same(
    topology::fabric const& expected, topology::fabric const& found, topology::compare_options const& options = {})
{
    for (auto const& difference : topology::differences(expected, found, 10, options))
        ADD_FAILURE() << difference;
    EXPECT_EQ(expected.counts(), found.counts());
}

/// What is wrong, one a line.
inline std::string listed(std::vector<sweep_problem> const& problems)
{
    std::string text;
    for (auto const& one : problems)
        text += to_string(one) + '\n';
    return text;
}

inline topology::node make_switch(std::uint64_t number, unsigned ports, std::string description)
{
    topology::node made;
    made.type = node_type::switch_;
    made.node_guid = guid{number};
    made.id = topology::canonical_id(made.type, made.node_guid);
    made.description = std::move(description);
    made.ports.resize(ports);
    return made;
}

inline topology::node make_ca(std::uint64_t number, unsigned ports, std::string description)
{
    auto made = make_switch(number, ports, std::move(description));
    made.type = node_type::ca;
    made.id = topology::canonical_id(made.type, made.node_guid);
    return made;
}

/// Plugs a 4xHDR cable.
inline void plug(topology::fabric& into, topology::endpoint a, topology::endpoint b)
{
    ASSERT_TRUE(into.connect(a, b));
    for (auto const end : {a, b}) {
        auto& port = into.at(end.node).external_port(end.port);
        port.width = link_width::x4;
        port.speed = link_speed::hdr;
    }
}

} // namespace madrigal::tests
