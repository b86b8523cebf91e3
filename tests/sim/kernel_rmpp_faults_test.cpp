// Messages from kernel to kernel where packets are lost, devices go, memory ends or a peer lies.
#include "rmpp_talk.hpp"

#include <sim/core.hpp>
#include <sim/kernel_rmpp.hpp>

#include <algorithm>
#include <random>
#include <string>

namespace madrigal::sim::test {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

class KernelRmppFaults : public RmppTalk {
protected:
    /// After a minute in which nothing is asked for: no packet on its way, waiting or forgotten, and nothing due.
    void expect_nothing_left()
    {
        with.on->set_faults({});
        clock().advance(60s);
        auto const& core = *with.on->implementation();
        EXPECT_EQ(core.packets.in_use(), 0U);
        auto const traps = std::count_if(core.nodes.begin(), core.nodes.end(),
            [](node const& one) { return one.trap && one.trap->queued(); }); // of links gone, which nobody represses
        EXPECT_EQ(core.events.size(), static_cast<std::size_t>(traps));
    }
};

/// A message whose losses a kernel repairs in the forty seconds that the other one gives it: each round takes two.
struct lossy {
    double loss;
    std::size_t size;
};

class KernelRmppLoss : public KernelRmppFaults, public ::testing::WithParamInterface<lossy> {};

TEST_P(KernelRmppLoss, WhatIsLostIsSentAgainUntilTheMessageIsWhole)
{
    auto const [loss, size] = GetParam();
    with.on->set_faults({.hop_latency = 1us, .jitter = 20us, .loss = loss, .duplicate = loss});
    constexpr std::uint32_t timeout_ms = 3'000;
    auto const before = clock().now();
    ASSERT_EQ(ask(size, timeout_ms, 20), 0);
    auto const question = read(c);
    ASSERT_TRUE(question);
    expect_table(*question, size);
    EXPECT_GE(clock().now() - before, 2s);
    EXPECT_GT(with.on->counters().drops(drop_reason::loss), 1U);
    auto const report = read(a);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT)) << "nobody has answered it";
    EXPECT_GT(with.on->counters().retransmitted, 1U);
    EXPECT_FALSE(read(c)) << "once";
    expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(OfEachLink, KernelRmppLoss,
    ::testing::Values(lossy{0.0002, megabyte}, lossy{0.01, 100'000}, lossy{0.1, 20'000}),
    [](auto const& of) { return std::to_string(of.param.size) + "Bytes"; });

class KernelRmppTooMuchLoss : public KernelRmppFaults, public ::testing::WithParamInterface<double> {};

TEST_P(KernelRmppTooMuchLoss, AMegabyteThatHasNotArrivedInFortySecondsIsAborted)
{
    auto const question = asked();
    ASSERT_TRUE(question);
    with.on->set_faults({.hop_latency = 1us, .loss = GetParam()});
    auto const before = clock().now();
    ASSERT_EQ(reply(*question, megabyte, 0, 100), 0);
    EXPECT_FALSE(read(c, 100s)) << "its sender is not told what the peer has ended";
    auto const report = read(a, 600s);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT)) << "nor is who waits for it";
    EXPECT_GE(clock().now() - before, 599s);
    expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(OfEachLink, KernelRmppTooMuchLoss, ::testing::Values(0.01, 0.1),
    [](auto const& of) { return std::to_string(static_cast<int>(of.param * 100)) + "Percent"; });

TEST_F(KernelRmppFaults, ALossIsNeverRepairedWhereTheTimeoutIsTwoSecondsOrLess)
{
    // A fault of real kernels, which the emulated one shares.
    auto const question = asked();
    ASSERT_TRUE(question);
    with.on->set_faults({.hop_latency = 1us, .loss = 0.01});
    ASSERT_EQ(reply(*question, megabyte, 2'000, 100), 0);
    EXPECT_FALSE(read(c, 30s));
    EXPECT_EQ(reply(*question, 10), EINVAL) << "it is still under way";
    EXPECT_EQ(with.on->counters().retransmitted, 0U);
    ASSERT_FALSE(c->unregister_agent(serves));
    ASSERT_FALSE(a->unregister_agent(asks));
    expect_nothing_left();
}

TEST_F(KernelRmppFaults, TheSenderIsToldWhereThePeersDeviceGoesInMidTransfer)
{
    with.on->set_faults({.hop_latency = 100us});
    auto const question = asked();
    ASSERT_TRUE(question);
    ASSERT_EQ(reply(*question, megabyte, 3'000, 2), 0);
    clock().advance(5ms);
    ASSERT_FALSE(with.on->unplug(host_a).code());
    auto const before = clock().now();
    auto const report = read(c);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
    EXPECT_EQ(report->mad().method(), method::get_table_response);
    EXPECT_EQ(report->mad().transaction_id(), question->mad().transaction_id());
    EXPECT_GE(clock().now() - before, 5s) << "three times two seconds without an ACK";
    EXPECT_LE(clock().now() - before, 6s);
    EXPECT_EQ(a->read({}).error().code().value(), EINVAL);
    expect_nothing_left();
}

TEST_F(KernelRmppFaults, NothingIsSaidOfWhatGoesWithItsAgentItsFileOrItsDevice)
{
    enum class way { unregister, close, unplug };
    for (auto const by : {way::unregister, way::close, way::unplug}) {
        SCOPED_TRACE(static_cast<int>(by));
        open_file server{*machine_c};
        if (c->unregister_agent(serves))
            ADD_FAILURE();
        auto const agent = server.register_server(subn_adm, 2, {0x12, 0x14}, 0, 1);
        with.on->set_faults({.hop_latency = 100us});
        ASSERT_EQ(ask(megabyte, 3'000, 2), 0); // one comes, and another goes
        to_c.timeout_ms = 600'000;
        std::array<std::byte, mad_size> plain{};
        auto const headers = table_of(++number, method::get_table, 0);
        std::copy_n(headers.begin(), mad_header_size, plain.begin());
        ASSERT_EQ(a.write(to_c, plain), 0);
        auto const question = read(server, 1s);
        ASSERT_TRUE(question);
        auto to = question->header;
        to.id = agent;
        to.qkey.set(0x8001'0000);
        ASSERT_EQ(
            server.write(to, table_of(question->mad().transaction_id(), method::get_table_response, megabyte)), 0);
        clock().advance(5ms);
        auto const sent = [&] {
            auto const counted = with.on->counters();
            return counted.transmitted - counted.traps;
        };
        auto const before = sent();
        switch (by) {
        case way::unregister: ASSERT_FALSE(server->unregister_agent(agent)); break;
        case way::close: server.close(); break;
        case way::unplug: ASSERT_FALSE(with.on->unplug(host_c).code()); break;
        }
        EXPECT_EQ(sent(), before);
        if (by == way::unregister) {
            EXPECT_FALSE(readable(server));
        }
        auto const report = read(a, 50s);
        ASSERT_TRUE(report) << "the client's question is not acknowledged any more";
        EXPECT_EQ(report->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
        EXPECT_EQ(report->mad().method(), method::get_multi);
        EXPECT_FALSE(read(a, 100s));
        ASSERT_FALSE(a->unregister_agent(asks));
        expect_nothing_left();
        asks = a.register_server(subn_adm, 2, {}, 0, 1);
        to_c.id = asks;
        if (by == way::unplug)
            break;
        serves = c.register_server(subn_adm, 2, {}, 0, 1);
    }
}

TEST_F(KernelRmppFaults, MessagesTakeNoMoreThanTheBoundAndGiveItBack)
{
    constexpr std::size_t size = std::size_t{30} << 20;
    static_assert(4 * size < kernel_rmpp::most_bytes && 5 * size > kernel_rmpp::most_bytes);
    {
        auto bytes = table_of(1, method::get_multi, kernel_rmpp::most_bytes);
        EXPECT_EQ(a.write(to_c, bytes), ENOMEM);
        --number;
    }
    auto const answer_one_more = [&] {
        auto const question = asked();
        ASSERT_TRUE(question);
        ASSERT_EQ(reply(*question, size), 0);
    };
    for (int i = 0; i != 5; ++i)
        ASSERT_NO_FATAL_FAILURE(answer_one_more());
    for (int i = 0; i != 4; ++i) {
        auto const got = read(a, 0s);
        ASSERT_TRUE(got);
        EXPECT_EQ(got->bytes.size(), 56 + size);
    }
    EXPECT_FALSE(read(a, 60s)) << "the fifth was stopped, since the others were unread";
    EXPECT_FALSE(read(c, 0s)) << "which its sender is not told";
    ASSERT_NO_FATAL_FAILURE(answer_one_more());
    EXPECT_TRUE(read(a, 0s)) << "what has been read is given back";
    ASSERT_FALSE(a->unregister_agent(asks));
    expect_nothing_left();
}

TEST_F(KernelRmppFaults, APeerThatTalksNonsenseDoesNoHarm)
{
    auto const client = asks;
    open_file liar{*machine_c};
    auto const lies = liar.register_client(subn_adm, 2);
    open_file server{*with.machine};
    auto const victim = server.register_server(subn_adm, 2, {0x12, 0x14}, 0, 1);
    auto const lid_a = with.on->look_at({host_a, 1}).value().base_lid;
    for (std::uint64_t seed = 1; seed != 9; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random{seed};
        auto const below = [&](std::uint64_t limit) {
            return std::uniform_int_distribution<std::uint64_t>{0, limit - 1}(random);
        };
        // It knows what is asked and what is being sent.
        auto const question = asked(50);
        ASSERT_TRUE(question);
        ASSERT_EQ(ask(20'000, 3'000, 1), 0);
        std::uint64_t const upper = question->mad().transaction_id() >> 32 << 32;
        for (int i = 0; i != 5'000; ++i) {
            constexpr std::array methods{method::get_table, method::get_multi, method::get_table_response,
                method::get_multi_response, method::get_response};
            auto const how = methods[below(methods.size())];
            auto lie = table_of(upper | (number - below(2)), how, 200);
            rmpp_header header{.version = static_cast<std::uint8_t>(below(20) == 0 ? below(3) : 1),
                .type = static_cast<rmpp_type>(below(10) == 0 ? below(7) : 1 + below(2)),
                .response_time = static_cast<std::uint8_t>(below(32)),
                .status = static_cast<rmpp_status>(below(10) == 0 ? below(256) : 0),
                .segment = static_cast<std::uint32_t>(below(20) == 0 ? random() : below(70)),
                .length_or_window = static_cast<std::uint32_t>(below(4) == 0 ? random() : below(300))};
            header.flags.set(rmpp_flag::active, below(50) != 0);
            header.flags.set(rmpp_flag::first, header.segment == 1);
            header.flags.set(rmpp_flag::last, below(30) == 0);
            ASSERT_TRUE(set_rmpp_header(mutable_mad_view{lie}, header));
            // As if it were the server, whose port it shares.
            auto const to = header_to(lies, lid_a, 1, 0);
            ASSERT_EQ(liar.write(to, lie), 0);
        }
        clock().advance(60s);
        for (auto* file : {&a, &server, &liar, &c})
            while (auto const got = read(*file, 0s))
                EXPECT_LE(got->bytes.size(), 56 + 20'000U);
        auto const honest = asked();
        ASSERT_TRUE(honest);
        ASSERT_EQ(reply(*honest, 100'000), 0);
        auto const answer = read(a);
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->header.id, client);
        expect_table(*answer, 100'000);
    }
    ASSERT_FALSE(server->unregister_agent(victim));
    expect_nothing_left();
}

} // namespace
} // namespace madrigal::sim::test
