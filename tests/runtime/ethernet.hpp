// A RoCE port, a loop and a clock that a test drives by hand.
#pragma once

#include "runtime/simulated.hpp"
#include "runtime/slow_host.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace madrigal::testing {

inline destination const nobody{other_gid};
inline destination const itself{own_gid};

inline raw_mad numbered(destination const& to, std::uint32_t number)
{
    raw_mad mad{to};
    mutable_mad_view const view{mad.bytes};
    view.set_base_version(mad_base_version);
    view.set_mgmt_class(management_class::performance);
    view.set_class_version(1);
    view.set_method(method::get);
    view.set_attribute_id(0x12);
    view.set_attribute_modifier(number);
    return mad;
}
inline std::uint32_t number_of(std::span<std::byte const> packet)
{
    return mad_view{packet.subspan(umad::header_size)}.attribute_modifier();
}

/// Two agents on a RoCE port. Each has a file of its own, which comes after the port's.
struct ethernet : ::testing::Test {
    slow_host host;
    engine::virtual_time time;
    std::unique_ptr<asio::io_context> loop = std::make_unique<asio::io_context>(1);
    std::optional<reactor> on_loop{std::in_place, *loop, host, reactor_options{.time = &time}};
    madrigal::port port = on_loop->open({.ca = "rxe0", .port = 1}).value();
    agent first = port.register_agent(umad::performance()).value();
    agent second = port.register_agent(umad::vendor_class(0x32, umad::openib_oui)).value();
    std::vector<std::pair<std::uint32_t, error_code>> outcomes;

    slow_file_state& first_file() { return *host.files.at(1); }
    slow_file_state& second_file() { return *host.files.at(2); }

    ~ethernet() override
    {
        for (auto const& file : host.files)
            file->open();
        first = agent{};
        second = agent{};
        port = {};
        on_loop.reset();
        loop.reset();
        for (auto const& file : host.files)
            file->until_closed();
    }

    void ask(agent& by, std::uint32_t number, destination const& to = nobody, request_options const& how = {})
    {
        by.async_request(numbered(to, number), how, [this, number](error_code code, received_mad const& answer) {
            EXPECT_TRUE(code || answer.mad().attribute_modifier() == number);
            outcomes.emplace_back(number, code);
        });
    }
    void ask(agent& by, std::uint32_t number, asio::cancellation_signal& signal, request_options const& how = {})
    {
        by.async_request(numbered(nobody, number), how,
            asio::bind_cancellation_slot(signal.slot(),
                [this, number](error_code code, received_mad const&) { outcomes.emplace_back(number, code); }));
    }
    /// On the loop, at once.
    void now(std::function<void()> const& what)
    {
        bool done = false;
        asio::post(*loop, [&] {
            what();
            done = true;
        });
        until([&] { return done; });
    }
    /// Runs the loop, and waits for writers, until `done`.
    void until(std::function<bool()> const& done)
    {
        while (!done()) {
            loop->restart();
            ASSERT_NE(loop->run_one(), 0U) << "nothing is outstanding";
        }
    }
    void until_outcomes(std::size_t count)
    {
        until([&] { return outcomes.size() >= count; });
    }
    /// Runs until nothing is outstanding.
    void run_out()
    {
        loop->restart();
        loop->run();
    }
    void ready()
    {
        loop->restart();
        while (loop->poll() != 0)
            ;
    }
    /// Runs what is ready until the next write of the first agent waits: the loop may have to give the turn for it.
    void run_until_stuck()
    {
        while (!first_file().is_stuck())
            ready();
    }
    /// A write of the first agent waits in the kernel.
    void get_stuck(std::uint32_t number = 1, request_options const& how = {})
    {
        first_file().shut();
        now([&] { ask(first, number, nobody, how); });
        first_file().until_stuck();
    }
};

} // namespace madrigal::testing
