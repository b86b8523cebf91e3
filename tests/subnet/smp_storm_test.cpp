// Traps without end.
#include "subnet/two_managers.hpp"

#include <madrigal/subnet/smp_server.hpp>

#include <boost/asio/detached.hpp>

namespace madrigal::testing {
namespace {

TEST(TrapStorm, OfAHundredThousandIsRepressedToTheLastAndWhatComesLaterIsHeard)
{
    two_hosts w;
    auto& s = w.s;
    auto server = smp_server::open(w.first).value();
    auto agent = w.other.port.register_agent(subnet_lid_routed()).value();
    std::vector<trap_notice> heard;
    asio::co_spawn(
        s.loop,
        [&]() -> asio::awaitable<void> {
            while (auto const trap = co_await server.next_trap())
                heard.push_back(trap.value());
        },
        asio::detached);
    auto const out = agent.sender();
    constexpr unsigned storm = 100'000;
    for (unsigned i = 0; i != storm; ++i) {
        // Of 255 ports, and of 40 kinds: what is like another is not all that is too much.
        auto const told =
            threshold_trap_of(static_cast<std::uint8_t>(1 + i % 255), static_cast<std::uint16_t>(129 + i / 255 % 40));
        ASSERT_TRUE(out.try_send(trap_mad(w.first_lid(), told)));
        if (i % 100 == 99)
            s.run_ready();
        if (i % 1'000 == 999)
            s.time.advance(10ms);
    }
    s.run_ready();
    auto const during = server.counters();
    EXPECT_EQ(during.received, storm);
    EXPECT_EQ(during.repressed, storm);
    EXPECT_EQ(during.malformed, 0u);
    EXPECT_EQ(during.delivered + during.duplicates + during.flooded, storm);
    EXPECT_LE(during.delivered, 50u + 20u) << "what one LID may say at once and in a second";
    EXPECT_EQ(heard.size(), during.delivered);

    // Another source is heard at once, though the first has not ended.
    topology::node_index leaf = 0;
    while (s.fabric->layout().at(leaf).type != node_type::switch_)
        ++leaf;
    ASSERT_FALSE(s.fabric->send_link_trap(leaf).code());
    auto const before = heard.size();
    s.run_ready();
    ASSERT_EQ(heard.size(), before + 1);
    EXPECT_EQ(heard.back().told.trap_number, trap_number::link_state_changed);
    EXPECT_GT(heard.back().missed, 50'000u);

    // And so is the first, once it has been quiet.
    s.time.advance(10min);
    s.run_ready();
    auto const quiet = heard.size();
    EXPECT_LE(quiet - before, 1u + 1'024u) << "what was remembered of it";
    ASSERT_TRUE(out.try_send(trap_mad(w.first_lid(), threshold_trap_of(7))));
    s.run_ready();
    ASSERT_EQ(heard.size(), quiet + 1);
    EXPECT_EQ(std::get<threshold_trap>(*heard.back().details).port_number, 7);
    EXPECT_EQ(heard.back().missed, 0u);
    server.close();
    s.run_ready();
    EXPECT_EQ(s.time.armed(), 0u);
}

/// A server whose device was lost and has been opened again, of which it knows nothing yet. Traps come along a directed
/// route, as the port that was plugged in has no LID.
struct AfterALoss : ::testing::Test {
    two_hosts w;
    simulated& s = w.s;
    smp_server server = smp_server::open(w.first).value();
    agent from = w.other.port.register_agent(umad::subnet_directed_route()).value();
    agent neighbour = w.first.register_agent(umad::performance().serving(method::get)).value();

    AfterALoss()
    {
        s.run_ready();
        EXPECT_FALSE(s.fabric->unplug(s.host->node()).code());
        s.run_ready();
        EXPECT_FALSE(s.fabric->plug(s.host->node()).code());
        EXPECT_TRUE(s.run(w.first.async_reopen(100ms, as_result)));
        neighbour.async_receive([](error_code, request const&) {}); // so that the port is read meanwhile
    }
    void send(unsigned how_many, unsigned at_once)
    {
        auto const out = from.sender();
        for (unsigned i = 0; i != how_many; ++i) {
            ASSERT_TRUE(out.try_send(trap_mad(w.to_first(), threshold_trap_of(4))));
            if (i % at_once == at_once - 1)
                s.run_ready();
        }
    }
};

TEST_F(AfterALoss, WhatTheInboxHadNoRoomForIsSaid)
{
    send(4'096 + 104, 100);
    EXPECT_EQ(server.counters().received, 0u) << "it has not looked yet";
    s.time.advance(250ms);
    auto const first = s.run(server.next_trap());
    s.run_ready();
    EXPECT_EQ(first.value().missed, 104u);
    EXPECT_EQ(server.counters().received, 4'096u);
    EXPECT_EQ(server.counters().dropped, 104u);
}

TEST_F(AfterALoss, AnInboxThatHasFilledIsEmptiedInTheMidstOfAStorm)
{
    send(100, 100);
    s.time.advance(250ms);
    constexpr unsigned storm = 6'000;
    send(storm, storm);
    EXPECT_EQ(server.counters().dropped, 0u);
    EXPECT_EQ(server.counters().received, 100 + storm);
}

} // namespace
} // namespace madrigal::testing
